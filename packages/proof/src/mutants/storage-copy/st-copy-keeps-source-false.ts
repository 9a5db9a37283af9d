import { defineMutant } from '../mutant.ts';
import { changeItems } from '../support/items-of.ts';

export const stCopyKeepsSourceFalse = defineMutant({
  rule: 'ST-COPY-KEEPS-SOURCE',
  breaks: 'removeOriginal false removes the source',
  companions: [],
  create: () => ({
    request(request) {
      if (request.operation !== 'batchCopyFile') return;
      changeItems(request, (item) => {
        if (item.removeOriginal === false) item.removeOriginal = true;
      });
    },
  }),
});
