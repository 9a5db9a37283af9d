import { defineMutant } from '../mutant.ts';

export const gwSseUnbuffered = defineMutant({
  rule: 'GW-SSE-UNBUFFERED',
  breaks: 'an event stream is held back until it ends',
  companions: [],
  create: () => ({
    buffersEvents: true,
  }),
});
