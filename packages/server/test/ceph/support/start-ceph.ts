import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('../../../scripts/ceph.sh', import.meta.url));
/** Below the ephemeral ports. */
const PORTS = { from: 20_000, to: 32_000 };

export interface Ceph {
  readonly folder: string;
  readonly endpoint: string;
  readonly ready: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts a separate store, which ends with this process, however it ends: the script waits for the end
 * of its standard input.
 */
export async function startCeph(): Promise<Ceph> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-ceph-'));
  const port = await findPorts();
  // Not in the process group that Ctrl-C signals.
  const child = spawn(SCRIPT, ['run', folder, `${port}`], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  const ended = once(child, 'exit');
  return {
    folder,
    endpoint: `http://127.0.0.1:${port}`,
    ready: waitUntilReady(child, ended),
    async stop() {
      child.stdin.end();
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function waitUntilReady(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  const lines = createInterface(child.stdout as NonNullable<ChildProcess['stdout']>);
  const [first] = (await Promise.race([once(lines, 'line'), ended])) as unknown[];
  if (!`${first}`.startsWith('ready ')) throw new Error('Ceph did not start.');
}

/** The first of two consecutive free ports. */
async function findPorts(): Promise<number> {
  for (;;) {
    const port = PORTS.from + 2 * Math.floor((Math.random() * (PORTS.to - PORTS.from)) / 2);
    if ((await isFree(port)) && (await isFree(port + 1))) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const found = Promise.race([
    once(server, 'listening').then(() => true),
    once(server, 'error').then(() => false),
  ]);
  server.listen(port, '127.0.0.1');
  if (!(await found.catch(() => false))) return false;
  server.close();
  await once(server, 'close');
  return true;
}
