import { defineMutant } from '../mutant.ts';
import { rememberGrants } from '../support/grants.ts';

export const upToken = defineMutant({
  rule: 'UP-TOKEN',
  breaks: 'the token of a form is not looked at',
  companions: ['UP-FILE'],
  create: () => {
    const grants = rememberGrants();
    return {
      request: (request) => grants.repair(request, 'x-store-security-token'),
      answer: grants.note,
    };
  },
});
