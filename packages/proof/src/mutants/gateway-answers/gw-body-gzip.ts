import { gunzipSync } from 'node:zlib';
import { defineMutant } from '../mutant.ts';

export const gwBodyGzip = defineMutant({
  rule: 'GW-BODY',
  breaks: 'a compressed body is decompressed',
  companions: [],
  create: () => ({
    answer(answer, { isGateway }) {
      if (!isGateway || answer.headers.get('content-encoding') !== 'gzip') return;
      answer.body = gunzipSync(answer.body);
    },
  }),
});
