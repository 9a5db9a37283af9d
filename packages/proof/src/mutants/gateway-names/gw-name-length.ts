import { randomUUID } from 'node:crypto';
import { MutatedAnswer } from '../../proxy/messages.ts';
import { defineMutant } from '../mutant.ts';

export const gwNameLength = defineMutant({
  rule: 'GW-NAME-LENGTH',
  breaks: 'a name of one letter is answered with 200',
  companions: [],
  create: () => ({
    request({ service = '' }) {
      if (!/^[m-zA-Z]$/.test(service)) return;
      return new MutatedAnswer(200, { 'X-Request-Id': randomUUID() });
    },
  }),
});
