import type { Mutant } from './mutant.ts';

export const gatewayRequests: readonly Mutant[] = [
  {
    rule: 'GW-FORWARD-METHOD',
    breaks: 'X-HTTP-Method-Override of a POST is obeyed',
    companions: [],
    create: () => ({
      request(request) {
        const wanted = request.headers.get('X-HTTP-Method-Override');
        if (request.isGateway && request.method === 'POST' && wanted) request.method = wanted;
      },
    }),
  },
  {
    rule: 'GW-FORWARD-HEADERS',
    breaks: 'headers whose names begin with X- do not reach the service',
    companions: [],
    create: () => ({
      request({ headers, isGateway }) {
        if (isGateway) headers.list = headers.list.filter(([name]) => !/^x-/i.test(name));
      },
    }),
  },
  {
    rule: 'GW-FORWARD-HEADERS',
    breaks: 'parameters of the content type do not reach the service',
    companions: [],
    create: () => ({
      request({ headers, isGateway, method }) {
        const type = headers.get('content-type');
        const isSigned = headers.get('authorization')?.startsWith('TC3-');
        if (!isGateway || method !== 'POST' || type === undefined || isSigned) return;
        headers.set('Content-Type', type.split(';', 1)[0] ?? '');
      },
    }),
  },
  {
    rule: 'GW-FORWARD-HEADERS',
    breaks: 'of a repeated header only the last reaches the service',
    companions: [],
    create: () => ({
      request({ headers, isGateway }) {
        const last = headers.all('X-Conformance-Repeated').at(-1);
        if (isGateway && last !== undefined) headers.set('X-Conformance-Repeated', last);
      },
    }),
  },
  {
    rule: 'GW-FORWARD-HEADERS',
    breaks: 'cookies of a WebSocket handshake do not reach the service',
    companions: [],
    create: () => ({
      upgrade({ headers }) {
        headers.remove('Cookie');
      },
    }),
  },
  {
    rule: 'GW-FORWARD-BODY',
    breaks: 'white space around a posted object is cut',
    companions: [],
    create: () => ({
      request(request) {
        if (!request.isGateway || !/^\s/.test(request.body.toString('latin1', 0, 1))) return;
        request.body = Buffer.from(request.body.toString().trim());
      },
    }),
  },
  {
    rule: 'GW-FORWARD-BODY',
    breaks: 'a posted object of more than 65,536 bytes arrives cut',
    companions: [],
    create: () => ({
      request(request) {
        if (request.isGateway) request.body = request.body.subarray(0, 65_536);
      },
    }),
  },
];
