import { defineMutant } from '../mutant.ts';
import { rememberGrants } from '../support/grants.ts';

export const upKey = defineMutant({
  rule: 'UP-KEY',
  breaks: 'a form with a wrong key is stored at the right one',
  companions: ['UP-FILE'],
  create: () => {
    const grants = rememberGrants();
    return {
      request: (request) => grants.repair(request, 'key', (value) => Boolean(value)),
      answer: grants.note,
    };
  },
});
