import { defineMutant } from '../mutant.ts';

export const gwForwardHeaders = defineMutant({
  rule: 'GW-FORWARD-HEADERS',
  breaks: 'headers whose names begin with X- do not reach the service',
  companions: [],
  create: () => ({
    request({ headers, isGateway }) {
      if (isGateway) headers.list = headers.list.filter(([name]) => !/^x-/i.test(name));
    },
  }),
});
