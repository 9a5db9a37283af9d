import { defineMutant } from '../mutant.ts';

export const gwForwardMethod = defineMutant({
  rule: 'GW-FORWARD-METHOD',
  breaks: 'X-HTTP-Method-Override of a POST is obeyed',
  companions: [],
  create: () => ({
    request(request) {
      const wanted = request.headers.get('X-HTTP-Method-Override');
      if (request.isGateway && request.method === 'POST' && wanted) request.method = wanted;
    },
  }),
});
