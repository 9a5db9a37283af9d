import { defineMutant } from '../mutant.ts';
import { changeItems } from '../support/items-of.ts';

export const stCopyOverwriteFalse = defineMutant({
  rule: 'ST-COPY-OVERWRITE-FALSE',
  breaks: 'overwrite false is ignored',
  companions: [],
  create: () => ({
    request(request) {
      if (request.operation !== 'batchCopyFile') return;
      changeItems(request, (item) => {
        if (item.overwrite === false) item.overwrite = true;
      });
    },
  }),
});
