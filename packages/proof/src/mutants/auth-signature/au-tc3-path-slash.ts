import { defineMutant } from '../mutant.ts';
import { fitsSignature, letIn } from '../support/signature.ts';

export const auTc3PathSlash = defineMutant({
  rule: 'AU-TC3-PATH',
  breaks: 'a slash at the end of the path does not count',
  companions: [],
  create: (context) => ({
    request(request) {
      const path = request.path.replace(/\/$/, '');
      if (fitsSignature(request, context, { path })) letIn(request, context);
    },
  }),
});
