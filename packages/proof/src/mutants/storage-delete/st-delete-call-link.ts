import { MutatedAnswer } from '../../proxy/messages.ts';
import { defineMutant } from '../mutant.ts';
import { changeEntries } from '../support/change-json.ts';
import { readFile } from '../support/files.ts';
import { itemsOf } from '../support/items-of.ts';

export const stDeleteCallLink = defineMutant({
  rule: 'ST-DELETE-CALL',
  breaks: 'a link works on, from a cache, when its file is deleted',
  companions: [],
  create: (context) => {
    const links = new Map<string, string[]>();
    const cache = new Map<string, Buffer>();
    return {
      async request(request) {
        const { operation, target, isDownload } = request;
        for (const id of operation === 'batchDelete' ? itemsOf(request) : []) {
          const bytes = await readFile(context, id);
          for (const link of links.get(id) ?? []) if (bytes) cache.set(link, bytes);
        }
        const cached = isDownload ? cache.get(target) : undefined;
        return cached && new MutatedAnswer(200, {}, cached);
      },
      answer(answer, { operation }) {
        if (operation !== 'batchGetTempUrls') return;
        changeEntries(answer, (entries) => {
          for (const { fileID, code, tempFileURL } of entries) {
            if (code !== 'SUCCESS') continue;
            const { pathname, search } = new URL(tempFileURL);
            links.set(fileID, [...(links.get(fileID) ?? []), pathname + search]);
          }
        });
      },
    };
  },
});
