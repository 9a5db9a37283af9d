import { MutatedResponse } from '../proxy/messages.ts';
import { COPY, items } from './hooks/storage.ts';
import { keyOf, readForm } from './hooks/uploads.ts';
import type { Rows } from './mutant.ts';

/** Faults that only show in a sequence of calls. */
export const storageSequences: Rows = {
  'ST-SEQUENCE: only the first item is a move': items(COPY, (item, index) => {
    if (index > 0) item.removeOriginal = undefined;
  }),
  'ST-SEQUENCE: the third upload to a path is lost': () => {
    const counts = new Map<string, number>();
    return {
      request(request) {
        if (!request.isUpload) return;
        const path = keyOf(readForm(request));
        const count = (counts.get(path) ?? 0) + 1;
        counts.set(path, count);
        return count > 2 ? new MutatedResponse(204) : undefined;
      },
    };
  },
};
