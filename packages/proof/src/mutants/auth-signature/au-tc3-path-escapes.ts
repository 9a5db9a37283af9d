import { defineMutant } from '../mutant.ts';
import { readSignature } from '../support/signature.ts';
import { toRefusal } from '../support/to-refusal.ts';

export const auTc3PathEscapes = defineMutant({
  rule: 'AU-TC3-PATH',
  breaks: 'a signed path with Chinese characters is refused',
  companions: [],
  create: () => ({
    request(request) {
      const isSigned = readSignature(request) !== undefined;
      if (isSigned && /%E4/i.test(request.path)) return toRefusal(401, 'SIGNATURE_WRONG');
      return undefined;
    },
  }),
});
