import { defineMutant } from '../mutant.ts';
import { toRefusal } from '../support/to-refusal.ts';

export const auTc3Spaces = defineMutant({
  rule: 'AU-TC3-SPACES',
  breaks: 'a signature without spaces after its commas is refused',
  companions: [],
  create: () => ({
    request({ headers }) {
      const value = headers.get('Authorization') ?? '';
      const isTight = /^TC3.*,\S/.test(value);
      return isTight ? toRefusal(401, 'SIGNATURE_WRONG') : undefined;
    },
  }),
});
