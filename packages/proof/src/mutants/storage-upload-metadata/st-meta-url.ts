import { defineMutant } from '../mutant.ts';
import { changeJson } from '../support/change-json.ts';

/** Only paths of several levels are concerned. */
const isDeep = (path: unknown) => String(path).includes('/deeper/');

export const stMetaUrl = defineMutant({
  rule: 'ST-META-URL',
  breaks: 'the url for a path of several levels is relative',
  companions: [],
  create: () => ({
    answer(answer, request) {
      if (request.operation !== 'getUploadMetaData' || !isDeep(answer.json?.body?.data?.fileID))
        return;
      changeJson(answer, ({ body }) => {
        body.data.url = new URL(body.data.url).pathname;
      });
    },
  }),
});
