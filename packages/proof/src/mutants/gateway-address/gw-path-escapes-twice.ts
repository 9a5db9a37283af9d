import { defineMutant } from '../mutant.ts';

export const gwPathEscapesTwice = defineMutant({
  rule: 'GW-PATH-ESCAPES',
  breaks: 'encoded Chinese in a path is encoded anew',
  companions: [],
  create: () => ({
    request(request) {
      const { path, query } = request;
      if (request.service !== 'conformance' || !path.includes('%E4')) return;
      request.target = path.replaceAll('%E4', '%25E4') + (query ? `?${query}` : '');
    },
  }),
});
