import { defineMutant } from '../mutant.ts';
import { changeItems } from '../support/items-of.ts';

export const stCopyOverwriteDefault = defineMutant({
  rule: 'ST-COPY-OVERWRITE-DEFAULT',
  breaks: 'without overwrite an existing destination stays',
  companions: [],
  create: () => ({
    request(request) {
      if (request.operation !== 'batchCopyFile') return;
      changeItems(request, (item) => {
        if (item.overwrite === undefined) item.overwrite = false;
      });
    },
  }),
});
