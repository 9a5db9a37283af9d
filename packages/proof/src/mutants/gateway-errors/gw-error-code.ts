import { defineMutant } from '../mutant.ts';

export const gwErrorCode = defineMutant({
  rule: 'GW-ERROR-CODE',
  breaks: 'the code of a bad name is a number',
  companions: [],
  create: () => ({
    answer(answer, { isGateway }) {
      if (!isGateway || answer.status !== 400 || !answer.json?.code) return;
      answer.json = { ...answer.json, code: 400 };
    },
  }),
});
