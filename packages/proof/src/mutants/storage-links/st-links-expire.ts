import { defineMutant } from '../mutant.ts';
import { changeItems } from '../support/items-of.ts';

export const stLinksExpire = defineMutant({
  rule: 'ST-LINKS-EXPIRE',
  breaks: 'a link lives for an hour at least',
  companions: [],
  create: () => ({
    request(request) {
      if (request.operation !== 'batchGetTempUrls') return;
      changeItems(request, (item) => {
        const { maxAge } = item;
        if (typeof maxAge === 'number' && maxAge > 0) item.maxAge = Math.max(maxAge, 3600);
      });
    },
  }),
});
