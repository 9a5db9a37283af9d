import { MutatedResponse } from '../proxy/messages.ts';
import type { Rows } from './mutant.ts';
import { linked, toPath, watching } from './support/history.ts';
import { changeList, LINKS } from './support/storage.ts';
import { keyOf, readForm } from './support/uploads.ts';

const ACCEPTED = new MutatedResponse(204);

/** Faults that only show in a sequence of calls: of links, deletions, copies and uploads. */
export const storageSequences: Rows = {
  'ST-SEQUENCE': {
    'a file that was deleted stays missing for links': watching(({ deleted }) => ({
      response(response, { operation }) {
        if (operation !== LINKS) return;
        changeList(response, (all) => {
          for (const entry of all) {
            if (deleted.has(toPath(entry.fileID)))
              Object.assign(entry, { code: 'NONE', tempFileURL: '' });
          }
        });
      },
    })),
    'a delete brings back the content before the last upload': watching(({ store }) => {
      const versions = new Map<string, Buffer>();
      return {
        uploaded: (path, _, before) => before && versions.set(path, before),
        async deleted(path) {
          if (versions.has(path)) await store(path, versions.get(path));
          versions.delete(path);
        },
      };
    }),
    'a copy changes with its source': linked(false, 'store'),
    'the third upload to a path is lost': watching(() => {
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
  },
};
