import { defineMutant } from '../mutant.ts';
import { changeEntries } from '../support/change-json.ts';

export const stCopyFailedCode = defineMutant({
  rule: 'ST-COPY-FAILED',
  breaks: 'the code of an existing destination is a number',
  companions: [],
  create: () => ({
    answer(answer, request) {
      if (request.operation !== 'batchCopyFile') return;
      changeEntries(answer, (entries) => {
        for (const entry of entries) if (entry.code === 'OBJECT_ALREADY_EXIST') entry.code = 409;
      });
    },
  }),
});
