import { defineMutant } from '../mutant.ts';
import { changeJson } from '../support/change-json.ts';

export const upFileId = defineMutant({
  rule: 'UP-FILE-ID',
  breaks: 'the fileID of step 1 names nothing',
  companions: [],
  create: () => ({
    answer(answer, request) {
      if (request.operation !== 'getUploadMetaData') return;
      changeJson(answer, ({ body }) => {
        if (body.data) body.data.fileID += '#upload';
      });
    },
  }),
});
