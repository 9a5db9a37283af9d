import { defineMutant } from '../mutant.ts';
import { fitsSignature, letIn } from '../support/signature.ts';

export const auTc3Query = defineMutant({
  rule: 'AU-TC3-QUERY',
  breaks: 'a signature without the query is let in',
  companions: [],
  create: (context) => ({
    request(request) {
      if (fitsSignature(request, context, { query: '' })) letIn(request, context);
    },
  }),
});
