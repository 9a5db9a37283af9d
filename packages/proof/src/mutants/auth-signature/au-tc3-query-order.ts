import { defineMutant } from '../mutant.ts';
import { fitsSignature, letIn, readSignature } from '../support/signature.ts';
import { toRefusal } from '../support/to-refusal.ts';

export const auTc3QueryOrder = defineMutant({
  rule: 'AU-TC3-QUERY',
  breaks: 'the query is sorted before it is compared',
  companions: [],
  create: (context) => ({
    request(request) {
      const query = request.query.split('&').sort().join('&');
      if (fitsSignature(request, context, { query })) letIn(request, context);
      const isUnsorted = readSignature(request) !== undefined && query !== request.query;
      return isUnsorted ? toRefusal(401, 'SIGNATURE_WRONG') : undefined;
    },
  }),
});
