import { defineMutant } from '../mutant.ts';
import { fitsSignature, letIn } from '../support/signature.ts';

export const auTc3Path = defineMutant({
  rule: 'AU-TC3-PATH',
  breaks: 'the path is decoded before it is compared',
  companions: [],
  create: (context) => ({
    request(request) {
      const path = decodeURI(request.path);
      if (fitsSignature(request, context, { path })) letIn(request, context);
    },
  }),
});
