import { type HeaderList, readAll } from '../../http/header-list.ts';
import type { Evidence, Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { gatewayMethods } from '../support/gateway-methods.ts';
import { openSocket } from '../support/open-socket.ts';
import { orderAnswer } from '../support/order-answer.ts';

const OF_THE_SERVICE = 'of-the-service';
const SENT: HeaderList[] = [
  [['X-Request-Id', OF_THE_SERVICE]],
  [['x-request-id', OF_THE_SERVICE]],
  [
    ['X-REQUEST-ID', OF_THE_SERVICE],
    ['X-Request-ID', `${OF_THE_SERVICE}-2`],
  ],
];

export const gwRequestIdOwn = defineCheck('GW-REQUEST-ID-OWN', ['fixture'], async (t: Trial) => {
  const plain = await t.gateway.call({ path: '/echo' });
  t.reach(plain.received.header('x-request-id') !== undefined, 'the answers carry no X-Request-Id');
  for (const call of gatewayMethods) {
    for (const headers of SENT) {
      for (const status of [200, 304, 404, 500]) {
        const order = { status, type: 'application/json', body: '{}', headers };
        const exchange = await orderAnswer(t, order, call);
        const what = `${call.method} /answer ${status}`;
        expectOwn(t, what, exchange.received.headers, exchange);
      }
      const path = t.fixture.events({ count: 1, headers });
      const exchange = await t.gateway.call({ ...call, path });
      expectOwn(t, `${call.method} /events`, exchange.received.headers, exchange);
    }
  }
  for (const headers of SENT) {
    await openSocket(t, { headers }, async (_, upgrade) => {
      // Where none comes, that is a matter of GW-REQUEST-ID-UPGRADE.
      const isThere = readAll(upgrade.headers, 'x-request-id').length > 0;
      if (isThere) expectOwn(t, 'the 101 of a WebSocket', upgrade.headers, upgrade);
    });
  }
});

function expectOwn(t: Trial, what: string, headers: HeaderList, evidence: Evidence): void {
  const ids = readAll(headers, 'x-request-id');
  const isOwn = ids.length === 1 && !ids[0]?.includes(OF_THE_SERVICE);
  const came = ids.join(' and ') || 'none';
  const message = `${what}: X-Request-Id must be one, and the gateway's own, not ${came}`;
  t.expect(isOwn, message, evidence);
}
