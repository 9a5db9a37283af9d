import { defineMutant } from '../mutant.ts';
import { letIn, readSignature } from '../support/signature.ts';

export const auTc3Form = defineMutant({
  rule: 'AU-TC3-FORM',
  breaks: 'a signature without Timestamp is let in',
  companions: [],
  create: (context) => ({
    request(request) {
      const parts = readSignature(request);
      if (parts && parts.Timestamp === undefined) letIn(request, context);
    },
  }),
});
