import { defineMutant } from '../mutant.ts';

export const gwPathShapeService = defineMutant({
  rule: 'GW-PATH-SHAPE',
  breaks: 'what is for a missing service goes to another one',
  companions: [],
  create: () => ({
    request(request) {
      if (!request.isGateway || !request.path.endsWith('/answer')) return;
      request.target = request.target.replace(
        /^\/v1\/cloudrun\/[^/?]+/,
        '/v1/cloudrun/conformance',
      );
    },
  }),
});
