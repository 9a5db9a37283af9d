import { defineMutant } from '../mutant.ts';
import { itemsOf } from '../support/items-of.ts';

export const stDeleteOnly = defineMutant({
  rule: 'ST-DELETE-ONLY',
  breaks: 'files whose names begin with that of the deleted one are deleted too',
  companions: [],
  create: (context) => ({
    async request(request) {
      if (request.operation !== 'batchDelete') return;
      const fileList = itemsOf(request).map((id) => `${id}.txt`);
      if (fileList.length > 0) await context.storage('batchDelete', { fileList });
    },
  }),
});
