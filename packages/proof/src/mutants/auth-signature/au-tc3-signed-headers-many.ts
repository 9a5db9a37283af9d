import { defineMutant } from '../mutant.ts';
import { readSignature } from '../support/signature.ts';
import { toRefusal } from '../support/to-refusal.ts';

export const auTc3SignedHeadersMany = defineMutant({
  rule: 'AU-TC3-SIGNED-HEADERS',
  breaks: 'a signature over more than ten headers is refused',
  companions: [],
  create: () => ({
    request(request) {
      const names = readSignature(request)?.SignedHeaders?.split(';') ?? [];
      return names.length > 10 ? toRefusal(401, 'SIGNATURE_WRONG') : undefined;
    },
  }),
});
