import { defineMutant } from '../mutant.ts';

export const gwGetJson = defineMutant({
  rule: 'GW-GET-JSON',
  breaks: 'an object with a code is taken for an envelope, and answered inside data',
  companions: [],
  create: () => ({
    answer(answer, { isGateway, method }) {
      if (!isGateway || method !== 'GET' || answer.status !== 200) return;
      if (answer.json?.code === 'OK') answer.json = { data: answer.json };
    },
  }),
});
