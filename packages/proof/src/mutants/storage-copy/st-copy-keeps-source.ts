import { defineMutant } from '../mutant.ts';
import { changeItems } from '../support/items-of.ts';

export const stCopyKeepsSource = defineMutant({
  rule: 'ST-COPY-KEEPS-SOURCE',
  breaks: 'a copy removes its source',
  companions: [],
  create: () => ({
    request(request) {
      if (request.operation !== 'batchCopyFile') return;
      changeItems(request, (item) => {
        if (item.removeOriginal === undefined) item.removeOriginal = true;
      });
    },
  }),
});
