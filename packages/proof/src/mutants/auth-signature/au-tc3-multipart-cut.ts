import { defineMutant } from '../mutant.ts';
import { fitsSignature } from '../support/signature.ts';
import { toRefusal } from '../support/to-refusal.ts';

export const auTc3MultipartCut = defineMutant({
  rule: 'AU-TC3-MULTIPART',
  breaks: 'a signature without the boundary is refused',
  companions: [],
  create: (context) => ({
    request(request) {
      const isForm = request.headers.get('Content-Type')?.startsWith('multipart/form-data;');
      const isCut = isForm && fitsSignature(request, context);
      return isCut ? toRefusal(401, 'SIGNATURE_WRONG') : undefined;
    },
  }),
});
