import type { Exchange } from '../../http/exchange.ts';
import type { GatewayCall } from '../../trial/gateway-tool.ts';
import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { gatewayMethods } from '../support/gateway-methods.ts';

const CALLS = 50;

export const gwRequestIdNew = defineCheck('GW-REQUEST-ID-NEW', ['fixture'], async (t: Trial) => {
  const missing = t.uniqueName();
  const id = t.uniqueName();
  const own: GatewayCall = {
    headers: {
      'X-Request-Id': id,
      'X-Correlation-Id': id,
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    },
  };
  const kinds: GatewayCall[] = [
    ...gatewayMethods,
    { path: t.fixture.answer({ status: 404 }) },
    { path: t.fixture.answer({ status: 204 }) },
    { path: t.fixture.events({ count: 1 }) },
    { service: missing },
    { service: missing, credentials: 'none' },
    { service: 'a' },
    // What a caller sends must not make two calls share one either.
    own,
    { ...own, service: missing },
  ];
  const calls = Array.from({ length: CALLS }, (_, index) => kinds[index % kinds.length]);
  const atOnce = await Promise.all(calls.map((call) => t.gateway.call(call)));
  const inTurn: Exchange[] = [];
  for (const call of [{}, {}, own, own]) inTurn.push(await t.gateway.call(call));
  const seen = new Set<string>();
  let ids = 0;
  for (const exchange of [...atOnce, ...inTurn]) {
    const came = exchange.received.header('x-request-id');
    if (came === undefined) continue;
    ids += 1;
    const message = `no two calls may share an X-Request-Id, but two have ${came}`;
    t.expect(!seen.has(came), message, exchange);
    seen.add(came);
  }
  t.reach(ids > 1, 'the answers carry no X-Request-Id');
});
