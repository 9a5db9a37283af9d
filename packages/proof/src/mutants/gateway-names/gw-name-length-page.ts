import { randomUUID } from 'node:crypto';
import { MutatedAnswer } from '../../proxy/messages.ts';
import { defineMutant } from '../mutant.ts';

export const gwNameLengthPage = defineMutant({
  rule: 'GW-NAME-LENGTH',
  breaks: 'a very long name is refused with a page',
  companions: [],
  create: () => ({
    request({ service = '' }) {
      if (service.length < 100) return;
      const headers = { 'Content-Type': 'text/html', 'X-Request-Id': randomUUID() };
      return new MutatedAnswer(414, headers, '<h1>URI too long</h1>');
    },
  }),
});
