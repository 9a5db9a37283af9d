import { defineMutant } from '../mutant.ts';

export const gwPathSegments = defineMutant({
  rule: 'GW-PATH-SEGMENTS',
  breaks: 'segments from the tenth on are lost',
  companions: [],
  create: () => ({
    request(request) {
      const { path, query } = request;
      const segments = path.split('/');
      if (!request.isGateway || segments.length <= 14) return;
      request.target = segments.slice(0, 13).join('/') + (query ? `?${query}` : '');
    },
  }),
});
