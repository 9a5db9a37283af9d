import { defineCheck } from '../check.ts';
import { gatewayMethods } from '../support/gateway-methods.ts';

const OVERRIDES = {
  'X-HTTP-Method-Override': 'PUT',
  'X-HTTP-Method': 'PUT',
  'X-Method-Override': 'PUT',
};

/** No body, which a gateway may refuse, but not turn into a GET. */
const EMPTY = { method: 'POST', body: '' };

export const gwForwardMethod = defineCheck('GW-FORWARD-METHOD', ['fixture'], async (t) => {
  for (const call of gatewayMethods) {
    const own = 'headers' in call ? call.headers : {};
    for (const headers of [own, { ...own, ...OVERRIDES }]) {
      for (const path of ['', '/a', '/a/b?_method=PUT']) {
        const exchange = await t.gateway.call({ ...call, headers, path });
        const echo = t.fixture.readEcho(exchange);
        const came = echo?.method ?? `an answer of ${exchange.received.status}`;
        const what = `${call.method} "${path}"`;
        t.expect(came === call.method, `${what}: the service must get ${call.method}, not ${came}`);
      }
    }
  }
  const echo = t.fixture.readEcho(await t.gateway.call({ ...EMPTY, path: '/a' }));
  const came = echo?.method ?? 'POST';
  t.expect(came === 'POST', `POST without a body: the service must get POST, not ${came}`);
});
