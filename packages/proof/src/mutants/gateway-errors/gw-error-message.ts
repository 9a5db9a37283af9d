import { defineMutant } from '../mutant.ts';

export const gwErrorMessage = defineMutant({
  rule: 'GW-ERROR-MESSAGE',
  breaks: 'the error of a missing service has no message',
  companions: [],
  create: () => ({
    answer(answer, { isGateway }) {
      if (!isGateway || answer.json?.code !== 'SERVICE_NOT_FOUND') return;
      answer.json = { ...answer.json, message: undefined };
    },
  }),
});
