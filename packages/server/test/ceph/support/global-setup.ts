import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { findMissingPrograms } from './find-ceph.ts';
import { startCeph } from './start-ceph.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Undefined where Ceph is not installed. */
    ceph: { readonly folder: string; readonly endpoint: string } | undefined;
  }
}

/** Starts one Ceph for all files of the project. Other projects need not wait for it. */
export default async function setup({ provide }: TestProject) {
  const missing = findMissingPrograms();
  if (missing.length > 0) {
    provide('ceph', undefined);
    process.stderr.write(
      `\n*** SKIPPED: the tests of the S3 store on a real Ceph, for there is no ${missing.join(', ')}.\n` +
        '*** `node scripts/install-engines.mjs`, as root on Debian or Ubuntu, installs it.\n\n',
    );
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
