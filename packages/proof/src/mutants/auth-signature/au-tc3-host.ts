import { defineMutant } from '../mutant.ts';
import { fitsSignature, letIn, readSignature } from '../support/signature.ts';

export const auTc3Host = defineMutant({
  rule: 'AU-TC3-HOST',
  breaks: 'host need not be signed',
  companions: [],
  create: (context) => ({
    request(request) {
      const names = readSignature(request)?.SignedHeaders?.split(';');
      if (
        names?.join() === 'content-type' &&
        fitsSignature(request, context, { anyHeaders: true })
      ) {
        letIn(request, context);
      }
    },
  }),
});
