import { MutatedResponse } from '../proxy/messages.ts';
import type { Rows } from './mutant.ts';
import { watching } from './support/history.ts';
import { copyItems } from './support/storage.ts';
import { keyOf, readForm } from './support/uploads.ts';

const ACCEPTED = new MutatedResponse(204);

/** Faults that only show in a sequence of calls: of links, deletions, copies and uploads. */
export const storageSequences: Rows = {
  'ST-SEQUENCE: a copy changes with its source': watching(({ store }) => {
    const copies = new Map<string, string>();
    return {
      copied: ({ from, to, isMove }) => !isMove && from !== to && copies.set(from, to),
      async uploaded(path, bytes) {
        const copy = copies.get(path);
        copies.delete(path);
        if (copy !== undefined) await store(copy, bytes);
      },
      deleted: (path) => copies.delete(path),
    };
  }),
  'ST-SEQUENCE: items after the first do not remove their source': copyItems(
    { removeOriginal: undefined },
    1,
  ),
  'ST-SEQUENCE: the third upload to a path is lost': watching(() => {
    const counts = new Map<string, number>();
    return {
      request(request) {
        if (!request.isUpload) return;
        const path = keyOf(readForm(request));
        counts.set(path, (counts.get(path) ?? 0) + 1);
        return (counts.get(path) ?? 0) > 2 ? ACCEPTED : undefined;
      },
    };
  }),
};
