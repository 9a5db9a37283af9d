import type { Exchange } from '../../http/exchange.ts';
import type { GatewayCall } from '../../trial/gateway-tool.ts';
import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { gatewayMethods } from '../support/gateway-methods.ts';

const CALLS = 50;

export const gwRequestIdNew = defineCheck('GW-REQUEST-ID-NEW', ['fixture'], async (t: Trial) => {
  const missing = t.uniqueName();
  const own: GatewayCall = { headers: { 'X-Request-Id': t.uniqueName() } };
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
    const id = exchange.received.header('x-request-id');
    if (id === undefined) continue;
    ids += 1;
    t.expect(!seen.has(id), `no two calls may share an X-Request-Id, but two have ${id}`, exchange);
    seen.add(id);
  }
  t.reach(ids > 1, 'the answers carry no X-Request-Id');
});
