import { defineMutant } from '../mutant.ts';
import { changeItems } from '../support/items-of.ts';

export const stCopyOverwriteTrue = defineMutant({
  rule: 'ST-COPY-OVERWRITE-TRUE',
  breaks: 'with overwrite true an existing destination stays',
  companions: [],
  create: () => ({
    request(request) {
      if (request.operation !== 'batchCopyFile') return;
      changeItems(request, (item) => {
        if (item.overwrite === true) item.overwrite = false;
      });
    },
  }),
});
