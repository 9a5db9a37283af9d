import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { attack } from './fuzz/attack.ts';
import { hostileRequest } from './fuzz/hostile-request.ts';
import type { Health } from './fuzz/server.ts';

const SEED = Number(process.env.BERTH_FUZZ_SEED ?? 20_261_121);
const REQUESTS = Number(process.env.BERTH_FUZZ_REQUESTS ?? 5000);
const AT_ONCE = 64;
/** Maximum heap growth between the first fifth and the end, which allows for compiled code and no more. */
const GROWTH_BYTES = 8 * 1024 * 1024;

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

  await run(0, REQUESTS / 5);
  const before = await ask(child);
  await run(REQUESTS / 5, REQUESTS);
  const after = await ask(child);

  const counts = [...statuses].sort().map(([status, count]) => `${status}: ${count}`);
  const heap = [before, after].map(({ heapBytes }) => `${(heapBytes / 2 ** 20).toFixed(1)} MiB`);
  process.stdout.write(`seed ${SEED}, ${counts.join(', ')}, heap ${heap.join(' → ')}\n`);
  expect(wrong.slice(0, 5)).toEqual([]);
  expect(after.faults).toEqual([]);
  expect(after.heapBytes - before.heapBytes).toBeLessThan(GROWTH_BYTES);
  expect(statuses.get(200)).toBeGreaterThan(REQUESTS / 50);
  expect(child.exitCode).toBeNull();
});

async function start() {
  const child = fork(join(import.meta.dirname, 'fuzz/server.ts'), {
    execArgv: ['--conditions=berth-source', '--expose-gc', '--disable-warning=ExperimentalWarning'],
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
