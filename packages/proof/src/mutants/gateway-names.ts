import { randomUUID } from 'node:crypto';
import { MutatedAnswer } from '../proxy/messages.ts';
import type { Mutant } from './mutant.ts';
import { toRefusal } from './support/refusals.ts';

export const gatewayNames: readonly Mutant[] = [
  {
    rule: 'GW-NAME-ACCEPTED',
    breaks: 'upper case is refused in a name',
    companions: [],
    create: () => ({
      request({ service = '' }) {
        return /[A-Z]/.test(service) ? toRefusal(400, 'INVALID_REQUEST') : undefined;
      },
    }),
  },
  {
    rule: 'GW-NAME-ACCEPTED',
    breaks: 'a name of 60 characters is refused',
    companions: [],
    create: () => ({
      request({ service = '' }) {
        return service.length === 60 ? toRefusal(400, 'INVALID_REQUEST') : undefined;
      },
    }),
  },
  {
    rule: 'GW-NAME-LENGTH',
    breaks: 'a name of one letter is answered with 200',
    companions: [],
    create: () => ({
      request({ service = '' }) {
        if (!/^[m-zA-Z]$/.test(service)) return;
        return new MutatedAnswer(200, { 'X-Request-Id': randomUUID() });
      },
    }),
  },
  {
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
  },
  {
    rule: 'GW-NAME-PATTERN',
    breaks: 'a name that begins with an underscore is a failure of the gateway',
    companions: [],
    create: () => ({
      request({ service = '' }) {
        return service.startsWith('_') ? toRefusal(500, 'SYS_ERR') : undefined;
      },
    }),
  },
  {
    rule: 'GW-NAME-PATTERN',
    breaks: 'a name with a semicolon is called',
    companions: [],
    create: () => ({
      request(request) {
        if (!request.service?.includes(';')) return;
        request.target = '/v1/cloudrun/conformance';
      },
    }),
  },
];
