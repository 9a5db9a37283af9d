import { defineMutant } from '../mutant.ts';
import { rememberGrants } from '../support/grants.ts';

export const upSignature = defineMutant({
  rule: 'UP-SIGNATURE',
  breaks: 'a form without Signature is stored',
  companions: [],
  create: () => {
    const grants = rememberGrants();
    return {
      request: (request) => grants.repair(request, 'Signature', (value) => value === undefined),
      answer: grants.note,
    };
  },
});
