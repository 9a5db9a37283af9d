import { defineMutant } from '../mutant.ts';
import { fitsSignature, letIn } from '../support/signature.ts';

export const auTc3KeyScope = defineMutant({
  rule: 'AU-TC3-KEY',
  breaks: 'the service of the scope is not compared',
  companions: [],
  create: (context) => ({
    request(request) {
      const service = 'svc';
      if (!fitsSignature(request, context) && fitsSignature(request, context, { service })) {
        letIn(request, context);
      }
    },
  }),
});
