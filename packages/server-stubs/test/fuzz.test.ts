import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type HostileRequest, hostileRequest } from './fuzz/requests.ts';
import type { Health } from './fuzz/server.ts';

const SEED = Number(process.env.BERTH_FUZZ_SEED ?? 20_261_121);
const REQUESTS = 5000;
const AT_ONCE = 64;
/** After this time, the server counts as hung. */
const HANG_MILLISECONDS = 300_000;

it(`survives ${REQUESTS} hostile requests with seed ${SEED}`, {
  timeout: 1_800_000,
}, async () => {
  const { child, port } = await start();
  const wrong: object[] = [];
  const statuses = new Map<number, number>();
  const run = async (from: number, to: number) => {
    let next = from;
    const attackOn = async () => {
      while (next < to) {
        const index = next;
        next += 1;
        const request = hostileRequest(SEED, index);
        const outcome = await attack(port, request);
        for (const status of outcome.statuses)
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
        const hasStack = /\n\s+at |\.ts:\d|node:internal/.test(outcome.received);
        const hasNoResponse = request.isWhole && outcome.statuses.length === 0;
        if (
          outcome.hangs ||
          hasNoResponse ||
          hasStack ||
          outcome.statuses.some((status) => status >= 500)
        ) {
          wrong.push({ index, request: request.bytes.slice(0, 2000), ...outcome });
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, attackOn));
  };

  await run(0, REQUESTS);
  const { faults } = await ask(child);

  const counts = [...statuses].sort().map(([status, count]) => `${status}: ${count}`);
  process.stdout.write(`seed ${SEED}, ${counts.join(', ')}\n`);
  expect(wrong.slice(0, 5)).toEqual([]);
  expect(faults).toEqual([]);
  expect(statuses.get(200)).toBeGreaterThan(REQUESTS / 50);
  expect(child.exitCode).toBeNull();
});

async function start() {
  const child = fork(join(import.meta.dirname, 'fuzz/server.ts'), {
    execArgv: ['--conditions=berth-source', '--disable-warning=ExperimentalWarning'],
  });
  onTestFinished(() => {
    child.kill();
  });
  const [port] = (await once(child, 'message')) as [number];
  return { child, port };
}

async function ask(child: ChildProcess): Promise<Health> {
  const responded = once(child, 'message');
  child.send('health');
  const [health] = (await responded) as [Health];
  return health;
}

/** Outcome of a request: the status of each response on the connection, or none if it was just closed. */
interface Outcome {
  readonly statuses: readonly number[];
  readonly received: string;
  readonly hangs: boolean;
}

/** Sends a request over a separate connection. An incomplete one ends with the connection. */
function attack(port: number, { bytes, isWhole }: HostileRequest): Promise<Outcome> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    let received = '';
    const end = (hangs: boolean) => {
      clearTimeout(timer);
      // Avoids TIME_WAIT, which use up the ports of a machine.
      socket.resetAndDestroy();
      const statuses = [...received.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) =>
        Number(status),
      );
      resolve({ statuses, received, hangs });
    };
    const timer = setTimeout(() => end(true), HANG_MILLISECONDS);
    const quiet = () => socket.end();
    let idle: NodeJS.Timeout | undefined;
    socket.on('connect', () => {
      socket.write(bytes, 'latin1');
      if (!isWhole) idle = setTimeout(quiet, 30);
    });
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      clearTimeout(idle);
      idle = setTimeout(quiet, 30);
    });
    socket.on('error', () => {});
    socket.on('end', () => socket.end());
    socket.on('close', () => end(false));
  });
}
