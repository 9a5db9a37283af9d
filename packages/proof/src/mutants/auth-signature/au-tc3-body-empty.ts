import { defineMutant } from '../mutant.ts';
import { fitsSignature, letIn } from '../support/signature.ts';

export const auTc3BodyEmpty = defineMutant({
  rule: 'AU-TC3-BODY',
  breaks: 'a signature without the body is let in',
  companions: [],
  create: (context) => ({
    request(request) {
      if (fitsSignature(request, context, { body: '' })) letIn(request, context);
    },
  }),
});
