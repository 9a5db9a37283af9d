import { defineMutant } from '../mutant.ts';

export const gwWsAuthBody = defineMutant({
  rule: 'GW-WS-AUTH',
  breaks: 'the refusal of a handshake has no body',
  companions: [],
  create: () => ({
    answer(answer, { headers }) {
      if (headers.get('Upgrade') && answer.status === 401) answer.body = Buffer.alloc(0);
    },
  }),
});
