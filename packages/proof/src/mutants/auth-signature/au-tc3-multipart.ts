import { defineMutant } from '../mutant.ts';
import { fitsSignature, readSignature } from '../support/signature.ts';
import { toRefusal } from '../support/to-refusal.ts';

export const auTc3Multipart = defineMutant({
  rule: 'AU-TC3-MULTIPART',
  breaks: 'a signature over the boundary is refused',
  companions: [],
  create: (context) => ({
    request(request) {
      const isForm = request.headers.get('Content-Type')?.startsWith('multipart/form-data;');
      const isKept = isForm && readSignature(request) && !fitsSignature(request, context);
      return isKept ? toRefusal(401, 'SIGNATURE_WRONG') : undefined;
    },
  }),
});
