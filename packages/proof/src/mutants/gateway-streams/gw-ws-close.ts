import { defineMutant } from '../mutant.ts';

export const gwWsClose = defineMutant({
  rule: 'GW-WS-CLOSE',
  breaks: 'the reason of a close by the service is lost',
  companions: [],
  create: () => ({
    close(end) {
      return end.from === 'service' ? { ...end, reason: '' } : end;
    },
  }),
});
