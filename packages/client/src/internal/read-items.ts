import { ITEM_SUCCESS } from '../generated/contract.gen.ts';
import { isRecord } from './is-record.ts';
import type { StorageAnswer } from './read-envelope.ts';

/** How the entries of an operation are read. */
export interface ItemRules<Value> {
  /** Beginning of an error, made of the name of a file. */
  readonly what: (name: string) => string;
  /**
   * What says that an item succeeded: `SUCCESS` alone, in entries that name the file that they belong
   * to, or, for copies, also that there is no code, in entries that name another file.
   */
  readonly by: 'code' | 'silence';
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
  answer: StorageAnswer,
  names: readonly string[],
  { what, by, read }: ItemRules<Value>,
): (Value | Error)[] {
  const { fileList } = answer.data;
  const entries: unknown[] = Array.isArray(fileList) ? fileList : [];
  const idOf = (entry: unknown) => (by === 'code' && isRecord(entry) ? entry.fileID : undefined);
  const asked = new Set<unknown>(names);
  const byId = new Map(entries.map((entry) => [idOf(entry), entry]));

  return names.map((name, index) => {
    const id = idOf(entries[index]);
    const entry = asked.has(id) && id !== name ? byId.get(name) : entries[index];
    const fail = (message: string) => answer.fail(what(name), { message });
    if (!isRecord(entry)) return fail('the answer has no entry for the file');
    if (entry.code !== ITEM_SUCCESS && (by === 'code' || entry.code)) {
      return entry.code
        ? answer.fail(what(name), entry)
        : fail('the answer has no code for the file');
    }
    return read(entry) ?? fail('the answer holds no valid address');
  });
}
