import { defineMutant } from '../mutant.ts';

export const gwRequestIdNewCaller = defineMutant({
  rule: 'GW-REQUEST-ID-NEW',
  breaks: 'the X-Request-Id of the caller is taken over',
  companions: [],
  create: () => ({
    answer({ status, headers }, request) {
      const own = request.headers.get('X-Request-Id');
      if (request.isGateway && status === 200 && own) headers.set('X-Request-Id', own);
    },
  }),
});
