import { defineMutant } from '../mutant.ts';
import { changeJson } from '../support/change-json.ts';

/** Only paths of several levels are concerned. */
const isDeep = (path: unknown) => String(path).includes('/deeper/');

export const stMetaAuthorization = defineMutant({
  rule: 'ST-META-AUTHORIZATION',
  breaks: 'the authorization for a path of several levels is an object',
  companions: [],
  create: () => ({
    answer(answer, request) {
      if (request.operation !== 'getUploadMetaData' || !isDeep(answer.json?.body?.data?.fileID))
        return;
      changeJson(answer, ({ body }) => {
        body.data.authorization = { Signature: body.data.authorization };
      });
    },
  }),
});
