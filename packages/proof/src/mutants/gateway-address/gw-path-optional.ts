import { defineMutant } from '../mutant.ts';

export const gwPathOptional = defineMutant({
  rule: 'GW-PATH-OPTIONAL',
  breaks: 'a call without anyPath calls /index',
  companions: [],
  create: () => ({
    request(request) {
      const isSigned = request.headers.get('authorization')?.startsWith('TC3-');
      if (request.path !== '/v1/cloudrun/conformance' || isSigned) return;
      request.target = request.target.replace(request.path, `${request.path}/index`);
    },
  }),
});
