import { defineMutant } from '../mutant.ts';
import { fitsSignature, letIn } from '../support/signature.ts';

export const auTc3SignedHeaders = defineMutant({
  rule: 'AU-TC3-SIGNED-HEADERS',
  breaks: 'the content type is compared as it usually is, not as it was sent',
  companions: [],
  create: (context) => ({
    request(request) {
      const usual = 'application/json; charset=utf-8';
      const header = (name: string, value: string) => (name === 'content-type' ? usual : value);
      if (fitsSignature(request, context, { header })) letIn(request, context);
    },
  }),
});
