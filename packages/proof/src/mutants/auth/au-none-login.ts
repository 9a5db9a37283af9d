import { defineMutant } from '../mutant.ts';

export const auNoneLogin = defineMutant({
  rule: 'AU-NONE',
  breaks: 'a GET of a path without credentials is sent to a login page',
  companions: [],
  create: () => ({
    answer(answer, { isGateway, method, path, headers }) {
      const isBare = isGateway && !headers.get('Authorization') && !headers.get('Upgrade');
      if (!isBare || method !== 'GET' || path.split('/').length < 5) return;
      answer.status = 302;
      answer.headers.set('Location', '/login');
    },
  }),
});
