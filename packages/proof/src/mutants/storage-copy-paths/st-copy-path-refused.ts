import { defineMutant } from '../mutant.ts';
import { changeItems } from '../support/items-of.ts';

export const stCopyPathRefused = defineMutant({
  rule: 'ST-COPY-PATH-REFUSED',
  breaks: '~ is accepted in a copy path',
  companions: [],
  create: () => ({
    request(request) {
      if (request.operation !== 'batchCopyFile') return;
      changeItems(request, (item) => {
        item.dstPath = item.dstPath?.replace?.('~', '-');
      });
    },
  }),
});
