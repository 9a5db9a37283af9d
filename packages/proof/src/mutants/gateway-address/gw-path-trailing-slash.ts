import { randomUUID } from 'node:crypto';
import { MutatedAnswer } from '../../proxy/messages.ts';
import { defineMutant } from '../mutant.ts';

export const gwPathTrailingSlash = defineMutant({
  rule: 'GW-PATH-TRAILING-SLASH',
  breaks: 'a slash behind the name is answered with a redirect',
  companions: ['GW-C1'],
  create: () => ({
    request({ target }) {
      if (target !== '/v1/cloudrun/conformance/') return;
      return new MutatedAnswer(301, {
        Location: target.slice(0, -1),
        'X-Request-Id': randomUUID(),
      });
    },
  }),
});
