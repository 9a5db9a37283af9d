import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { skipReason } from '@berth/runtimes/engines';
import type { TestProject } from 'vitest/node';
import { startCeph } from './start-ceph.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Undefined if Ceph is not installed. */
    ceph: { readonly folder: string; readonly endpoint: string } | undefined;
  }
}

/** Starts one Ceph for all files of the project. Other projects need not wait for it. */
export default async function setup({ provide }: TestProject) {
  if (skipReason('ceph')) {
    provide('ceph', undefined);
    return;
  }
  const ceph = await startCeph(1);
  const { folder, endpoint } = ceph;
  provide('ceph', { folder, endpoint });
  ceph.ready
    .then(() => 'ready', String)
    .then((state) => writeFile(join(folder, 'started'), state))
    .catch(() => {});
  return () => ceph.stop();
}
