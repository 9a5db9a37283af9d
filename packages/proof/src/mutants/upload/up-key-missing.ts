import { defineMutant } from '../mutant.ts';
import { rememberGrants } from '../support/grants.ts';

export const upKeyMissing = defineMutant({
  rule: 'UP-KEY',
  breaks: 'a form without a key is stored',
  companions: [],
  create: () => {
    const grants = rememberGrants();
    return {
      request: (request) => grants.repair(request, 'key', (value) => value === undefined),
      answer: grants.note,
    };
  },
});
