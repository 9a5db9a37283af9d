import { defineMutant } from '../mutant.ts';

export const gwWsCloseCaller = defineMutant({
  rule: 'GW-WS-CLOSE',
  breaks: 'the service gets 1000 whatever code the caller closes with',
  companions: [],
  create: () => ({
    close(end) {
      return end.from === 'caller' ? { ...end, code: 1000 } : end;
    },
  }),
});
