import { defineMutant } from '../mutant.ts';
import { letIn, readSignature } from '../support/signature.ts';

export const auTc3FormEmpty = defineMutant({
  rule: 'AU-TC3-FORM',
  breaks: 'an empty Signature is let in',
  companions: [],
  create: (context) => ({
    request(request) {
      if (readSignature(request)?.Signature === '') letIn(request, context);
    },
  }),
});
