import type { Hooks, Json, MutatedRequest } from '../../../proxy/messages.ts';
import { changeItems, itemsOf } from '../../support/items-of.ts';
import { leaveOutItems, putEntries } from '../../support/leave-out-items.ts';
import { seesItems } from '../../support/sees-items.ts';
import { ofEntries } from './of-entries.ts';

const OPERATION = 'batchCopyFile';

export function isCopy({ operation }: MutatedRequest): boolean {
  return operation === OPERATION;
}

/** Changes the items of copies. */
export function changing(change: (item: Json) => void): Hooks {
  return {
    request(request) {
      if (isCopy(request)) changeItems(request, change);
    },
  };
}

/** Changes the entries of copies, in place or by returning others. */
export function ofCopies(change: (entries: Json[], items: Json[]) => unknown): Hooks {
  return ofEntries(OPERATION, change);
}

/** Acts on each item of a copy after it, with the entry that it got, if any. */
export function afterCopies(act: (item: Json, entry: Json) => unknown): Hooks {
  return {
    ...seesItems,
    async answer(answer, request) {
      if (!isCopy(request)) return;
      const entries = answer.json?.body?.data?.fileList ?? [];
      for (const [index, item] of itemsOf(request).entries()) await act(item, entries[index]);
    },
  };
}

/** Does not copy the items that it gives an entry to. */
export function leavingOut(toEntry: (item: Json, index: number) => object | undefined): Hooks {
  return {
    request(request) {
      if (isCopy(request)) leaveOutItems(request, toEntry);
    },
    answer(answer, request) {
      if (isCopy(request)) putEntries(answer, request);
    },
  };
}
