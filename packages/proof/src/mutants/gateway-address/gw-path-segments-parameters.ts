import { defineMutant } from '../mutant.ts';

export const gwPathSegmentsParameters = defineMutant({
  rule: 'GW-PATH-SEGMENTS',
  breaks: 'parameters of a segment (;b=1) are cut',
  companions: ['GW-PATH-SHAPE'],
  create: () => ({
    request(request) {
      const { path, query } = request;
      if (request.service !== 'conformance' || !path.includes(';')) return;
      request.target = path.replaceAll(/;[^/]*/g, '') + (query ? `?${query}` : '');
    },
  }),
});
