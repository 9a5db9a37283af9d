import { defineMutant } from '../mutant.ts';
import { changeJson } from '../support/change-json.ts';
import { toUploadError } from '../support/to-upload-error.ts';

export const upUrlVerbatim = defineMutant({
  rule: 'UP-URL-VERBATIM',
  breaks: 'the returned url is not where forms are taken',
  companions: [],
  create: () => ({
    request(request) {
      if (!request.isUpload) return;
      if (request.path !== '/') return toUploadError(404, 'AccessDenied');
      request.target = '/upload';
    },
    answer(answer, { operation }) {
      if (operation !== 'getUploadMetaData') return;
      changeJson(answer, ({ body }) => {
        if (body.data) body.data.url = new URL('/bucket/put?grant=1', body.data.url).href;
      });
    },
  }),
});
