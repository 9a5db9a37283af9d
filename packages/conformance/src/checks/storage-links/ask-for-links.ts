import type { StorageReply } from '../../trial/read-reply.ts';
import type { Entry } from '../../trial/storage-tool.ts';
import type { Trial } from '../../trial/trial.ts';
import type { StoredFile } from '../../trial/upload-tool.ts';

/** One item of a links call. */
export interface LinkOrder {
  fileID: string;
  maxAge?: number;
}

/** A links call, and its entries; without a list of objects the check is not reached. */
export async function askForLinks(
  t: Trial,
  fileList: readonly LinkOrder[],
): Promise<{ reply: StorageReply; entries: Entry[] }> {
  const reply = await t.storage.call('batchGetTempUrls', { fileList });
  const entries = reply.data?.fileList;
  const isList = Array.isArray(entries) && entries.length === fileList.length;
  const came = `batchGetTempUrls answered ${reply.received.status}`;
  t.reach(isList, `${came} without an entry for each of the ${fileList.length} items`);
  return { reply, entries: entries.map(Object) };
}

/** Stores small files and returns an item for each. */
export async function storeForLinks(
  t: Trial,
  ...names: string[]
): Promise<{ files: StoredFile[]; orders: LinkOrder[] }> {
  const files: StoredFile[] = [];
  for (const name of names) files.push(await t.upload.store(name));
  return { files, orders: files.map(({ fileId }) => ({ fileID: fileId })) };
}
