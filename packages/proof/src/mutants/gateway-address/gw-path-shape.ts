import { defineMutant } from '../mutant.ts';

export const gwPathShape = defineMutant({
  rule: 'GW-PATH-SHAPE',
  breaks: 'the extension of a page is cut from the path',
  companions: [],
  create: () => ({
    request(request) {
      if (request.isGateway) request.target = request.target.replace(/\.html$/, '');
    },
  }),
});
