import { defineMutant } from '../mutant.ts';
import { changeJson } from '../support/change-json.ts';

/** Only paths of several levels are concerned. */
const isDeep = (path: unknown) => String(path).includes('/deeper/');

export const stMetaStoreFileId = defineMutant({
  rule: 'ST-META-STORE-FILE-ID',
  breaks: 'the storeFileID for a path of several levels has another name',
  companions: [],
  create: () => ({
    answer(answer, request) {
      if (request.operation !== 'getUploadMetaData' || !isDeep(answer.json?.body?.data?.fileID))
        return;
      changeJson(answer, ({ body }) => {
        body.data.storeFileId = body.data.storeFileID;
        delete body.data.storeFileID;
      });
    },
  }),
});
