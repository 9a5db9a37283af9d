import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { skipReason } from '../../../../../scripts/testing/engines.ts';
import { type Ceph, startCeph } from './start-ceph.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** File that will contain the folder and the endpoint, or an error; undefined if Ceph is not installed. */
    ceph: string | undefined;
  }
}

/** A port that was free may be taken before Ceph listens on it. */
const ATTEMPTS = 3;

/** Starts one Ceph for all files of the project. Other projects need not wait for it. */
export default async function setup({ provide }: TestProject) {
  if (skipReason('ceph')) {
    provide('ceph', undefined);
    return;
  }
  const home = await mkdtemp(join(tmpdir(), 'berth-ceph-state-'));
  const file = join(home, 'started');
  provide('ceph', file);
  const started = start(ATTEMPTS).then(
    async (ceph) => {
      const { folder, endpoint } = ceph;
      await writeFile(file, JSON.stringify({ folder, endpoint }));
      return ceph;
    },
    async (error) => {
      await writeFile(file, JSON.stringify({ error: String(error) }));
      return undefined;
    },
  );
  return async () => {
    await (await started)?.stop();
    await rm(home, { recursive: true });
  };
}

async function start(attempts: number): Promise<Ceph> {
  const ceph = await startCeph();
  try {
    await ceph.ready;
    return ceph;
  } catch (error) {
    await ceph.stop();
    if (attempts > 1) return start(attempts - 1);
    throw error;
  }
}
