import { defineMutant } from '../mutant.ts';
import { itemsOf } from '../support/items-of.ts';

export const stDeleteOnlyFolder = defineMutant({
  rule: 'ST-DELETE-ONLY',
  breaks: 'a folder can be deleted like a file, with all that is in it',
  companions: [],
  create: (context) => ({
    async request(request) {
      if (request.operation !== 'batchDelete') return;
      const fileList = itemsOf(request).map((id) => `${id}/inner.txt`);
      if (fileList.length > 0) await context.storage('batchDelete', { fileList });
    },
  }),
});
