import { defineMutant } from '../mutant.ts';

export const gwPathEscapes = defineMutant({
  rule: 'GW-PATH-ESCAPES',
  breaks: '%2F in a path is decoded',
  companions: [],
  create: () => ({
    request(request) {
      const { path, query } = request;
      if (request.service !== 'conformance' || !path.includes('%2F')) return;
      request.target = path.replaceAll('%2F', '/') + (query ? `?${query}` : '');
    },
  }),
});
