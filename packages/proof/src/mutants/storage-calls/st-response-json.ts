import { defineMutant } from '../mutant.ts';

export const stResponseJson = defineMutant({
  rule: 'ST-RESPONSE-JSON',
  breaks: 'a refusal for want of credentials is text',
  companions: [],
  create: () => ({
    answer(answer, { operation }) {
      if (operation === 'batchGetTempUrls' && answer.status === 401) {
        answer.headers.set('Content-Type', 'text/plain');
      }
    },
  }),
});
