import { defineMutant } from '../mutant.ts';
import { fitsSignature, letIn } from '../support/signature.ts';

export const auTc3Method = defineMutant({
  rule: 'AU-TC3-METHOD',
  breaks: 'the method is taken for GET whatever it is',
  companions: [],
  create: (context) => ({
    request(request) {
      if (fitsSignature(request, context, { method: 'GET' })) letIn(request, context);
    },
  }),
});
