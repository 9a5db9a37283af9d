import { defineMutant } from '../mutant.ts';

export const gwStatus = defineMutant({
  rule: 'GW-STATUS',
  breaks: 'a status that has no name becomes the first of its hundred',
  companions: [],
  create: () => ({
    answer(answer, { isGateway }) {
      if (isGateway && answer.status % 100 === 99) answer.status -= 99;
    },
  }),
});
