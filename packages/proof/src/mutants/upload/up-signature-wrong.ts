import { defineMutant } from '../mutant.ts';
import { rememberGrants } from '../support/grants.ts';

export const upSignatureWrong = defineMutant({
  rule: 'UP-SIGNATURE',
  breaks: 'a form with the Signature of another grant is stored',
  companions: ['UP-FILE'],
  create: () => {
    const grants = rememberGrants();
    return {
      request: (request) => grants.repair(request, 'Signature', (value) => Boolean(value)),
      answer: grants.note,
    };
  },
});
