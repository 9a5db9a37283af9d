import { defineMutant } from '../mutant.ts';

export const gwHeaders = defineMutant({
  rule: 'GW-HEADERS',
  breaks: 'cookies of an answer are put into one header',
  companions: [],
  create: () => ({
    answer({ headers }, { isGateway }) {
      const cookies = headers.get('set-cookie');
      if (isGateway && cookies !== undefined) headers.set('Set-Cookie', cookies);
    },
  }),
});
