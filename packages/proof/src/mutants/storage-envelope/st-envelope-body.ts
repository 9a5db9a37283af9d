import { defineMutant } from '../mutant.ts';

export const stEnvelopeBody = defineMutant({
  rule: 'ST-ENVELOPE-BODY',
  breaks: 'a refusal of the credentials is flat, without body',
  companions: [],
  create: () => ({
    answer(answer, request) {
      if (!request.operation || answer.status !== 401) return;
      const { body, ...rest } = answer.json;
      answer.json = { ...rest, ...body };
    },
  }),
});
