import { defineMutant } from '../mutant.ts';
import { toRefusal } from '../support/to-refusal.ts';

export const gwNameAcceptedLong = defineMutant({
  rule: 'GW-NAME-ACCEPTED',
  breaks: 'a name of 60 characters is refused',
  companions: [],
  create: () => ({
    request({ service = '' }) {
      return service.length === 60 ? toRefusal(400, 'INVALID_REQUEST') : undefined;
    },
  }),
});
