import { defineMutant } from '../mutant.ts';
import { toRefusal } from '../support/to-refusal.ts';

export const gwPathOptionalPost = defineMutant({
  rule: 'GW-PATH-OPTIONAL',
  breaks: 'a POST needs an anyPath',
  companions: [],
  create: () => ({
    request({ method, target }) {
      if (method !== 'POST' || target !== '/v1/cloudrun/conformance?a=1') return;
      return toRefusal(404, 'INVALID_PATH');
    },
  }),
});
