import { ITEM_SUCCESS } from '../generated/contract.gen.ts';
import { isRecord } from './is-record.ts';
import type { StorageAnswer } from './read-envelope.ts';

/** How the entries of an operation are read. */
export interface ItemRules<Value> {
  /** Beginning of an error, made of the name of a file. */
  readonly what: (name: string) => string;
  /** Whether entries name another file than their own, and have a code only where it failed. */
  readonly isCopy?: boolean;
  /** The values of a good entry; `undefined` where it lacks one. */
  readonly read: (entry: Record<string, unknown>) => Value | undefined;
}

/**
 * The values, or the error, of each file that was asked for. "`code` equal to `SUCCESS` means success
 * for temporary links and delete. For copy, `code` and `message` are present only when that item
 * failed." Entries stand "in request order" (D25); where they name the file that they belong to, that
 * counts more than the place.
 */
export function readItems<Value>(
  { data, fail }: StorageAnswer,
  names: readonly string[],
  { what, isCopy, read }: ItemRules<Value>,
): (Value | { error: Error })[] {
  const entries: unknown[] = Array.isArray(data.fileList) ? data.fileList : [];
  const ids = entries.map((entry) => (isRecord(entry) && !isCopy ? entry.fileID : undefined));

  return names.map((name, index) => {
    const isOfOther = ids[index] !== name && names.includes(ids[index] as string);
    const entry = entries[isOfOther ? ids.indexOf(name) : index];
    const refuse = (reason: { code?: unknown; message?: unknown }) => ({
      error: fail(what(name), reason),
    });
    if (!isRecord(entry)) return refuse({ message: 'the answer has no entry for the file' });
    if (entry.code ? entry.code !== ITEM_SUCCESS : !isCopy) {
      return refuse(entry.code ? entry : { message: 'the answer has no code for the file' });
    }
    return read(entry) ?? refuse({ message: 'the answer has no valid address' });
  });
}
