import { defineMutant } from '../mutant.ts';
import { changeJson } from '../support/change-json.ts';

/** Only paths of several levels are concerned. */
const isDeep = (path: unknown) => String(path).includes('/deeper/');

export const stMetaFileId = defineMutant({
  rule: 'ST-META-FILE-ID',
  breaks: 'the fileID for a path of several levels is a number',
  companions: [],
  create: () => ({
    answer(answer, request) {
      if (request.operation !== 'getUploadMetaData' || !isDeep(answer.json?.body?.data?.fileID))
        return;
      changeJson(answer, ({ body }) => {
        body.data.fileID = 42;
      });
    },
  }),
});
