import { defineMutant } from '../mutant.ts';

export const gwForwardHeadersType = defineMutant({
  rule: 'GW-FORWARD-HEADERS',
  breaks: 'parameters of the content type do not reach the service',
  companions: [],
  create: () => ({
    request({ headers, isGateway, method }) {
      const type = headers.get('content-type');
      const isSigned = headers.get('authorization')?.startsWith('TC3-');
      if (!isGateway || method !== 'POST' || type === undefined || isSigned) return;
      headers.set('Content-Type', type.split(';', 1)[0] ?? '');
    },
  }),
});
