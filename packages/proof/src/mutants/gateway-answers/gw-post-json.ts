import { defineMutant } from '../mutant.ts';

export const gwPostJson = defineMutant({
  rule: 'GW-POST-JSON',
  breaks: 'properties of value null are left out of an object',
  companions: [],
  create: () => ({
    answer(answer, { isGateway, method }) {
      if (!isGateway || method !== 'POST' || answer.json?.none !== null) return;
      const { none: _, ...rest } = answer.json;
      answer.json = rest;
    },
  }),
});
