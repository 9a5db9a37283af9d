import { defineMutant } from '../mutant.ts';
import { readSignature } from '../support/signature.ts';
import { toRefusal } from '../support/to-refusal.ts';

export const auSignature = defineMutant({
  rule: 'AU-SIGNATURE',
  breaks: 'only tokens are let through on POST',
  companions: [],
  create: () => ({
    request(request) {
      const isSigned = readSignature(request) !== undefined;
      if (isSigned && request.method === 'POST') return toRefusal(401, 'TOKEN_REQUIRED');
      return undefined;
    },
  }),
});
