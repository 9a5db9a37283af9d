import { defineMutant } from '../mutant.ts';

export const gwForwardHeadersRepeated = defineMutant({
  rule: 'GW-FORWARD-HEADERS',
  breaks: 'of a repeated header only the last reaches the service',
  companions: [],
  create: () => ({
    request({ headers, isGateway }) {
      const last = headers.all('X-Conformance-Repeated').at(-1);
      if (isGateway && last !== undefined) headers.set('X-Conformance-Repeated', last);
    },
  }),
});
