import { defineMutant } from '../mutant.ts';
import { toRefusal } from '../support/to-refusal.ts';

export const gwNameAccepted = defineMutant({
  rule: 'GW-NAME-ACCEPTED',
  breaks: 'upper case is refused in a name',
  companions: [],
  create: () => ({
    request({ service = '' }) {
      return /[A-Z]/.test(service) ? toRefusal(400, 'INVALID_REQUEST') : undefined;
    },
  }),
});
