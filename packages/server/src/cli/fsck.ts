import { join } from 'node:path';
import { checkFileStore } from '../blobs/file/check-file-store.ts';
import { diskCodeOf } from '../blobs/file/disk-error.ts';
import { loadConfig } from '../config/load-config.ts';
import { Failure } from './fail.ts';

export interface FsckOptions {
  readonly config?: string;
  readonly data: string;
  readonly repair?: boolean;
}

/** Reads every file of a store on disk, and prints a line for each that is not as it was written. */
export async function fsck(given: string | undefined, options: FsckOptions): Promise<void> {
  const { repair = false } = options;
  const root = given ?? (await findRoot(options));
  const { files, bytes, problems } = await checkFileStore(root, {
    repair,
    onProblem: ({ kind, path, detail }) => process.stdout.write(`${kind}: ${path}: ${detail}\n`),
  }).catch((error: Error) => {
    const isNone = ['ENOENT', 'ENOTDIR'].includes(diskCodeOf(error.cause) ?? '');
    const why = isNone ? 'there is none; name the folder of store.root.' : error.message;
    throw new Failure(`${root} cannot be read as a store: ${why}`, 2);
  });
  process.stdout.write(`${files} files, ${bytes} bytes, ${problems} problems.\n`);
  if (problems > 0 && !repair) throw new Failure(`${root} has problems: see --repair.`, 1);
}

async function findRoot({ config: file, data }: FsckOptions): Promise<string> {
  if (file === undefined) return join(data, 'files');
  const { store } = (await loadConfig(file)).config;
  if (store.driver === 'file') return store.root;
  throw new Failure(`${file} has its files in an object store: fsck reads stores on disk.`, 2);
}
