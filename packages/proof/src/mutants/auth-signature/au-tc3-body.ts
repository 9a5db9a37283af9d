import { defineMutant } from '../mutant.ts';
import { fitsSignature, letIn } from '../support/signature.ts';

export const auTc3Body = defineMutant({
  rule: 'AU-TC3-BODY',
  breaks: 'the body is parsed and written anew before it is compared',
  companions: [],
  create: (context) => ({
    request(request) {
      const { json } = request;
      if (json === undefined) return;
      const body = JSON.stringify(json);
      if (fitsSignature(request, context, { body })) letIn(request, context);
    },
  }),
});
