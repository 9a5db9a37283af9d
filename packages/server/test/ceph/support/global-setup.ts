import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { skipReason } from '../../../../../scripts/testing/engines.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** File that will contain the endpoint, or an error; undefined if Ceph is not installed. */
    ceph: string | undefined;
  }
}

const SCRIPT = fileURLToPath(new URL('./ceph.sh', import.meta.url));
/** Two neighbours are needed, below the ephemeral ports. */
const PORTS = { from: 20_000, to: 32_000 };
/** A port may be in use. */
const ATTEMPTS = 5;

/** Starts one Ceph for all files of the project. Other projects need not wait for it. */
export default async function setup({ provide }: TestProject) {
  provide('ceph', undefined);
  if (skipReason('ceph')) return;
  const home = await mkdtemp(join(tmpdir(), 'berth-ceph-state-'));
  const file = join(home, 'started');
  provide('ceph', file);
  const started = startCeph(ATTEMPTS);
  started.then(
    ({ endpoint }) => writeFile(file, JSON.stringify({ endpoint })),
    (error) => writeFile(file, JSON.stringify({ error: String(error) })),
  );
  return async () => {
    const ceph = await started.catch(() => undefined);
    await ceph?.stop();
    await rm(home, { recursive: true });
  };
}

/**
 * Starts a store, which ends with this process, however it ends: the script waits for the end of its standard
 * input.
 */
async function startCeph(attempts: number) {
  const folder = await mkdtemp(join(tmpdir(), 'berth-ceph-'));
  const port = PORTS.from + 2 * Math.floor((Math.random() * (PORTS.to - PORTS.from)) / 2);
  // Not in the process group that Ctrl-C signals.
  const child = spawn(SCRIPT, [folder, `${port}`], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  const ended = once(child, 'exit');
  const stop = async () => {
    child.stdin.end();
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  const lines = createInterface(child.stdout);
  const [first] = (await Promise.race([once(lines, 'line'), ended])) as unknown[];
  if (`${first}`.startsWith('ready ')) return { endpoint: `http://127.0.0.1:${port}`, stop };
  await stop();
  if (attempts === 1) throw new Error('Ceph did not start.');
  return startCeph(attempts - 1);
}
