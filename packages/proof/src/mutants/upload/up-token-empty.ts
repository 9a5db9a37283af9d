import { defineMutant } from '../mutant.ts';
import { rememberGrants } from '../support/grants.ts';

export const upTokenEmpty = defineMutant({
  rule: 'UP-TOKEN',
  breaks: 'a form with an empty token is stored',
  companions: [],
  create: () => {
    const grants = rememberGrants();
    return {
      request: (request) =>
        grants.repair(request, 'x-store-security-token', (value) => value === ''),
      answer: grants.note,
    };
  },
});
