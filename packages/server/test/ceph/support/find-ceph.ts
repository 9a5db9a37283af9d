import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const PROGRAMS = ['ceph-mon', 'ceph-osd', 'radosgw'];

/** Programs of Ceph that this machine does not have. */
export function findMissingPrograms(): readonly string[] {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return PROGRAMS.filter((name) => !folders.some((folder) => existsSync(join(folder, name))));
}
