import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestProject } from 'vitest/node';
import { skipReason } from '../../../../../scripts/testing/engines.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of the Ceph of this run; undefined if it is not installed. */
    ceph: string | undefined;
  }
}

const SCRIPT = join(import.meta.dirname, 'ceph.sh');
/** Two neighbours are needed, below the ephemeral ports. */
const PORTS = { from: 20_000, to: 32_000 };
/** A port may be in use. */
const ATTEMPTS = 5;

/** Starts one Ceph for all files of the project. */
export default async function setup({ provide }: TestProject) {
  const ceph = skipReason('ceph') ? undefined : await startCeph(ATTEMPTS);
  provide('ceph', ceph?.endpoint);
  return ceph?.stop;
}

/** Starts a store, which ends with this process: the script waits for the end of its standard input. */
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
  if (first === 'ready') return { endpoint: `http://127.0.0.1:${port}`, stop };
  await stop();
  if (attempts === 1) throw new Error('Ceph did not start.');
  return startCeph(attempts - 1);
}
