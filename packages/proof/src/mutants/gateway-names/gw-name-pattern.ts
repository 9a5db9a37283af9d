import { defineMutant } from '../mutant.ts';
import { toRefusal } from '../support/to-refusal.ts';

export const gwNamePattern = defineMutant({
  rule: 'GW-NAME-PATTERN',
  breaks: 'a name that begins with an underscore is a failure of the gateway',
  companions: [],
  create: () => ({
    request({ service = '' }) {
      return service.startsWith('_') ? toRefusal(500, 'SYS_ERR') : undefined;
    },
  }),
});
