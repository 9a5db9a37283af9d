import { defineMutant } from '../mutant.ts';
import { changeJson } from '../support/change-json.ts';

/** Only paths of several levels are concerned. */
const isDeep = (path: unknown) => String(path).includes('/deeper/');

export const stMetaToken = defineMutant({
  rule: 'ST-META-TOKEN',
  breaks: 'a grant for a path of several levels has no token',
  companions: [],
  create: () => ({
    answer(answer, request) {
      if (request.operation !== 'getUploadMetaData' || !isDeep(answer.json?.body?.data?.fileID))
        return;
      changeJson(answer, ({ body }) => {
        delete body.data.token;
      });
    },
  }),
});
