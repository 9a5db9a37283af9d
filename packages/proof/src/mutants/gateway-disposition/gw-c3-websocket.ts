import { defineMutant } from '../mutant.ts';

export const gwC3Websocket = defineMutant({
  rule: 'GW-C3-WEBSOCKET',
  breaks: 'a 101 carries attachment',
  companions: [],
  create: () => ({
    upgraded({ headers }) {
      headers.set('Content-Disposition', 'attachment');
    },
  }),
});
