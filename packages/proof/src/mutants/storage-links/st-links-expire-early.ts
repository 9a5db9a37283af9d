import { defineMutant } from '../mutant.ts';
import { changeItems } from '../support/items-of.ts';

export const stLinksExpireEarly = defineMutant({
  rule: 'ST-LINKS-EXPIRE',
  breaks: 'every link with maxAge lives for two seconds',
  companions: [],
  create: () => ({
    request(request) {
      if (request.operation !== 'batchGetTempUrls') return;
      changeItems(request, (item) => {
        const { maxAge } = item;
        if (typeof maxAge === 'number' && maxAge > 2) item.maxAge = 2;
      });
    },
  }),
});
