import { defineMutant } from '../mutant.ts';
import { toRefusal } from '../support/to-refusal.ts';

export const auBearer = defineMutant({
  rule: 'AU-BEARER',
  breaks: 'only signatures are let through',
  companions: [],
  create: () => ({
    request({ isGateway, headers }) {
      const isBearer = headers.get('Authorization')?.startsWith('Bearer ');
      return isGateway && isBearer ? toRefusal(401, 'SIGNATURE_REQUIRED') : undefined;
    },
    upgrade({ headers }) {
      const isBearer = headers.get('Authorization')?.startsWith('Bearer ');
      return isBearer ? toRefusal(401, 'SIGNATURE_REQUIRED') : undefined;
    },
  }),
});
