import { defineMutant } from '../mutant.ts';

export const gwPathSegmentsPrefix = defineMutant({
  rule: 'GW-PATH-SEGMENTS',
  breaks: 'the prefix of the gateway is taken away twice',
  companions: [],
  create: () => ({
    request(request) {
      request.target = request.target.replace(/^(\/v1\/cloudrun\/\w+)\1/, '$1');
    },
  }),
});
