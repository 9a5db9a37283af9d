import { defineMutant } from '../mutant.ts';

export const gwPathEscapesCase = defineMutant({
  rule: 'GW-PATH-ESCAPES',
  breaks: 'escapes of a path are written in upper case',
  companions: [],
  create: () => ({
    request(request) {
      const { path, query } = request;
      if (request.service !== 'conformance' || !path.includes('%')) return;
      const upper = path.replaceAll(/%[\da-f]{2}/gi, (code) => code.toUpperCase());
      request.target = upper + (query ? `?${query}` : '');
    },
  }),
});
