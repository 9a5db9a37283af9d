import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const PROGRAMS = ['ceph-mon', 'ceph-osd', 'radosgw'];

/**
 * Programs that tests run on and that this machine does not have.
 *
 * @returns {readonly string[]}
 */
export function findMissingEngines() {
  const folders = process.env.PATH.split(delimiter);
  return PROGRAMS.filter((name) => !folders.some((folder) => existsSync(join(folder, name))));
}
