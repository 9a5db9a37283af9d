import { defineMutant } from '../mutant.ts';

export const gwForwardHeaders = defineMutant({
  rule: 'GW-FORWARD-HEADERS',
  breaks: 'headers with an underscore do not reach the service',
  companions: [],
  create: () => ({
    request({ headers, isGateway }) {
      if (isGateway) headers.list = headers.list.filter(([name]) => !name.includes('_'));
    },
  }),
});
