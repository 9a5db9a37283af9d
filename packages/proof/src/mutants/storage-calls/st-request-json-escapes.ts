import { defineMutant } from '../mutant.ts';

export const stRequestJsonEscapes = defineMutant({
  rule: 'ST-REQUEST-JSON',
  breaks: 'JSON is read without its escapes',
  companions: [],
  create: () => ({
    request(request) {
      if (request.operation !== 'getUploadMetaData' || request.json === undefined) return;
      request.body = Buffer.from(request.body.toString().replaceAll('\\u', 'u'));
    },
  }),
});
