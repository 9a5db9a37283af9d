import { defineMutant } from '../mutant.ts';
import { fitsSignature, letIn, readSignature } from '../support/signature.ts';

export const auTc3HostName = defineMutant({
  rule: 'AU-TC3-HOST',
  breaks: 'any header whose name ends in host is taken for host',
  companions: [],
  create: (context) => ({
    request(request) {
      const names = readSignature(request)?.SignedHeaders?.split(';');
      const hasOther = names?.some((name) => name.endsWith('-host'));
      if (hasOther && fitsSignature(request, context, { anyHeaders: true }))
        letIn(request, context);
    },
  }),
});
