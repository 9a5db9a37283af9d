import type { Trial } from '../../trial/trial.ts';
import type { StoredFile } from '../../trial/upload-tool.ts';
import { copy } from './copies.ts';
import { hasBytes, readPath, storeReadable } from './readings.ts';

/** A source, and a proof that it can be copied at all; otherwise the check is not reached. */
export async function storeCopyable(t: Trial, name: string): Promise<StoredFile> {
  const source = await storeReadable(t, name, `the content of the source ${name}, the longer one`);
  const free = t.storage.path(`free/${name}`);
  await copy(t, { from: source.path, to: free });
  const isCopied = hasBytes(await readPath(t, free), source.bytes);
  t.reach(isCopied, 'no file is copied to a free destination');
  t.reach((await t.upload.read(source.fileId)).found, 'a copy does not keep its source');
  return source;
}
