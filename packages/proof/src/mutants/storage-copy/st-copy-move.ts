import { defineMutant } from '../mutant.ts';
import { changeItems } from '../support/items-of.ts';

export const stCopyMove = defineMutant({
  rule: 'ST-COPY-MOVE',
  breaks: 'a move leaves its source',
  companions: [],
  create: () => ({
    request(request) {
      if (request.operation !== 'batchCopyFile') return;
      changeItems(request, (item) => {
        if (item.removeOriginal === true) item.removeOriginal = false;
      });
    },
  }),
});
