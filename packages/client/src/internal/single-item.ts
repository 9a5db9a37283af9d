import { ITEM_SUCCESS } from '../generated/contract.gen.ts';
import { isRecord } from './is-record.ts';
import type { StorageAnswer } from './read-envelope.ts';

/** What says the success of an item: `SUCCESS` alone, or, for copies, also that there is no code. */
export type SuccessBy = 'code' | 'silence';

/**
 * The entry of an answer to a list of one. "`code` equal to `SUCCESS` means success for temporary
 * links and delete. For copy, `code` and `message` are present only when that item failed."
 *
 * @param by what says that the item succeeded
 * @throws StorageError where the item failed, or the answer has no entry for it
 */
export function singleItem(
  answer: StorageAnswer,
  what: string,
  by: SuccessBy,
): Record<string, unknown> {
  const { fileList } = answer.data;
  const item: unknown = Array.isArray(fileList) ? fileList[0] : undefined;
  if (!isRecord(item)) throw answer.fail(what, { message: 'the answer has no entry for the file' });
  if (item.code === ITEM_SUCCESS || (by === 'silence' && !item.code)) return item;
  throw answer.fail(what, item.code ? item : { message: 'the answer has no code for the file' });
}
