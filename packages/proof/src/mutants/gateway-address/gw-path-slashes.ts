import { defineMutant } from '../mutant.ts';

export const gwPathSlashes = defineMutant({
  rule: 'GW-PATH-SLASHES',
  breaks: 'empty segments of a path are left out',
  companions: [],
  create: () => ({
    request(request) {
      const { path, query } = request;
      if (request.service !== 'conformance' || !/[^/]\/{2,}[^/]/.test(path)) return;
      request.target = path.replaceAll(/\/{2,}/g, '/') + (query ? `?${query}` : '');
    },
  }),
});
