import { defineMutant } from '../mutant.ts';
import { fitsSignature, letIn } from '../support/signature.ts';

export const auTc3SignedHeadersTwice = defineMutant({
  rule: 'AU-TC3-SIGNED-HEADERS',
  breaks: 'of a signed header that stands twice the first is compared',
  companions: [],
  create: (context) => ({
    request(request) {
      const header = (_: string, value: string) => value.split(', ', 1)[0] ?? '';
      if (fitsSignature(request, context, { header })) letIn(request, context);
    },
  }),
});
