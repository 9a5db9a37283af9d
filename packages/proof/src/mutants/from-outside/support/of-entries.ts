import type { Hooks, Json } from '../../../proxy/messages.ts';
import { changeEntries } from '../../support/change-json.ts';
import { itemsOf } from '../../support/items-of.ts';
import { seesItems } from '../../support/sees-items.ts';
import { toStorageRefusal } from '../../support/to-storage-refusal.ts';

/** Changes the entries of an operation, in place or by returning others; `items` are what was asked. */
export function ofEntries(
  operation: string,
  change: (entries: Json[], items: Json[]) => unknown,
): Hooks {
  return {
    ...seesItems,
    answer(answer, request) {
      if (request.operation === operation)
        changeEntries(answer, (entries) => change(entries, itemsOf(request)));
    },
  };
}

/** Changes every entry in place. */
export function each(change: (entry: Json) => void): (entries: Json[]) => void {
  return (entries) => {
    for (const entry of entries) change(entry);
  };
}

/** Refuses a call after the fact because of its entries. */
export function refuseAll(operation: string, isRefused: (entries: Json[]) => boolean): Hooks {
  return {
    ...seesItems,
    answer(answer, request) {
      const entries = answer.json?.body?.data?.fileList;
      if (request.operation === operation && Array.isArray(entries) && isRefused(entries))
        Object.assign(answer, toStorageRefusal(404, 'STORAGE_FILE_NONEXIST'));
    },
  };
}

/** Whether an entry of links or of deletions tells of success; those of copies have no code then. */
export function isOk({ code }: Json): boolean {
  return code === 'SUCCESS';
}

export function isBad(entry: Json): boolean {
  return !isOk(entry);
}

/** One entry for each file ID. */
export function unique(entries: Json[]): Json[] {
  return entries.filter(
    ({ fileID }, index) => entries.findIndex((other) => other.fileID === fileID) === index,
  );
}
