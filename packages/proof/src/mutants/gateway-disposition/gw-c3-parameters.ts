import { defineMutant } from '../mutant.ts';

export const gwC3Parameters = defineMutant({
  rule: 'GW-C3',
  breaks: 'an event stream with a charset carries attachment',
  companions: [],
  create: () => ({
    answer({ headers }, { isGateway }) {
      if (!isGateway || !headers.get('content-type')?.startsWith('text/event-stream;')) return;
      headers.set('Content-Disposition', 'attachment');
    },
  }),
});
