import { defineMutant } from '../mutant.ts';

export const stResponseJsonSuccess = defineMutant({
  rule: 'ST-RESPONSE-JSON',
  breaks: 'a deletion is answered as text/json',
  companions: [],
  create: () => ({
    answer(answer, { operation }) {
      if (operation === 'batchDelete' && answer.status === 200) {
        answer.headers.set('Content-Type', 'text/json');
      }
    },
  }),
});
