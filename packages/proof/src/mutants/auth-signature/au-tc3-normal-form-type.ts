import { defineMutant } from '../mutant.ts';
import { readSignature } from '../support/signature.ts';
import { toRefusal } from '../support/to-refusal.ts';

export const auTc3NormalFormType = defineMutant({
  rule: 'AU-TC3-NORMAL-FORM',
  breaks: 'a signed content type is lower-cased',
  companions: [],
  create: () => ({
    request(request) {
      const isSigned = readSignature(request)?.SignedHeaders?.includes('content-type');
      const type = request.headers.get('Content-Type') ?? '';
      const isForm = type.startsWith('multipart/');
      const isRefused = isSigned && !isForm && /[A-Z]/.test(type);
      return isRefused ? toRefusal(401, 'SIGNATURE_WRONG') : undefined;
    },
  }),
});
