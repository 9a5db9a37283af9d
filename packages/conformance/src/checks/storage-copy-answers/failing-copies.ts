import type { StorageReply } from '../../trial/read-reply.ts';
import type { Entry } from '../../trial/storage-tool.ts';
import type { Trial } from '../../trial/trial.ts';
import { type CopyOrder, toCopyItems } from '../support/copies.ts';

/** A copy call, and its entries; without a list of that many the check is not reached. */
export async function askForCopies(
  t: Trial,
  ...orders: CopyOrder[]
): Promise<{ reply: StorageReply; entries: Entry[] }> {
  const reply = await t.storage.call('batchCopyFile', { fileList: toCopyItems(t, orders) });
  const entries = reply.data?.fileList;
  const isList = Array.isArray(entries) && entries.length === orders.length;
  const came = `batchCopyFile answered ${reply.received.status}`;
  t.reach(isList, `${came} without an entry for each of the ${orders.length} items`);
  return { reply, entries: entries.map(Object) };
}

/** Copies of an existing file or of none, each of which must fail for a reason of its own. */
export function failingCopies(
  t: Trial,
  source: string,
  existing: string,
): { what: string; order: CopyOrder }[] {
  const missing = t.storage.path(`${t.uniqueName()}.missing`);
  return [
    { what: 'a missing source', order: { from: missing, to: t.storage.path('never.txt') } },
    {
      what: 'an existing destination and overwrite false',
      order: { from: source, to: existing, overwrite: false },
    },
    {
      what: 'a destination with a character that none may have',
      order: { from: source, to: t.storage.path('not@allowed.txt') },
    },
    {
      what: 'a move of a missing source',
      order: { from: missing, to: t.storage.path('never.txt'), removeOriginal: true },
    },
  ];
}
