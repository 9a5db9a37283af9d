import type { Exchange } from '../../http/exchange.ts';
import type { Echo } from '../../trial/fixture-tool.ts';
import type { GatewayCall } from '../../trial/gateway-tool.ts';
import type { Trial } from '../../trial/trial.ts';

/**
 * Makes a call that the rule says must reach the fixture service, and returns what arrived there. It is
 * a finding where something else answers, unless a plain call of the same method does not arrive either.
 *
 * @param what names the case: `GET /a//b`
 * @param refusal a status by which HTTP lets a gateway refuse this very call: then the operator is told
 */
export async function callEcho(
  t: Trial,
  call: GatewayCall,
  what: string,
  refusal?: number,
): Promise<{ echo: Echo; exchange: Exchange } | undefined> {
  const exchange = await t.gateway.call(call);
  const echo = t.fixture.readEcho(exchange);
  if (echo) return { echo, exchange };
  if (exchange.received.status === refusal) {
    t.note(`${what}: refused with ${refusal}, as HTTP allows.`);
    return undefined;
  }
  const plain = await t.gateway.call({
    ...(call.method === undefined ? {} : { method: call.method }),
    ...((call.body ?? call.chunks) === undefined
      ? {}
      : { headers: { 'Content-Type': 'application/json' }, body: '{}' }),
    path: '/echo',
  });
  t.reach(t.fixture.readEcho(plain) !== undefined, 'a plain call does not reach the fixture');
  const { status } = exchange.received;
  t.expect(false, `${what}: must reach the service, but was answered with ${status}`, exchange);
  return undefined;
}
