import type { HeaderList } from '../../http/header-list.ts';
import { defineCheck } from '../check.ts';
import { gatewayMethods } from '../support/gateway-methods.ts';
import { orderAnswer } from '../support/order-answer.ts';

/** Headers of hop-by-hop names, with values that no gateway would choose for itself. */
const LISTED: HeaderList = [
  ['Keep-Alive', 'timeout=977, max=977'],
  ['Proxy-Connection', 'x-conformance'],
  ['TE', 'x-conformance'],
  ['Upgrade', 'x-conformance/9'],
];
/** Headers of any name, named in `Connection`. */
const NAMED: HeaderList = [
  ['Connection', 'X-Conformance-One ,x-conformance-TWO,  Proxy-Authenticate'],
  ['X-Conformance-One', 'x-conformance'],
  ['x-conformance-two', 'x-conformance'],
  ['X-Conformance-Two', 'x-conformance'],
  ['Proxy-Authenticate', 'Basic realm="x-conformance"'],
];
/** The same, with `Connection` repeated and beside its usual values. */
const NAMED_TWICE: HeaderList = [
  ['Connection', 'close'],
  ['connection', 'X-Conformance-Three'],
  ['X-Conformance-Three', 'x-conformance'],
  ...LISTED,
];

export const gwHopByHop = defineCheck('GW-HOP-BY-HOP', ['fixture'], async (t) => {
  for (const call of gatewayMethods) {
    for (const headers of [LISTED, NAMED, NAMED_TWICE]) {
      for (const status of [200, 404]) {
        const order = { status, type: 'text/plain', body: 'a', headers };
        const { received } = await orderAnswer(t, order, call);
        const what = `${call.method} /answer ${status}`;
        for (const [name, value] of headers) {
          const came = received.header(name);
          const isKept =
            name.toLowerCase() === 'connection' ? namesAny(came) : includes(came, value);
          t.expect(!isKept, `${what}: ${name} of the service must not reach the caller: ${came}`);
        }
      }
    }
  }
});

/** The gateway has a `Connection` of its own, which has nothing to do with the service's names. */
function namesAny(came = ''): boolean {
  return came.toLowerCase().includes('x-conformance');
}

function includes(came: string | undefined, value: string): boolean {
  return came?.includes(value) === true;
}
