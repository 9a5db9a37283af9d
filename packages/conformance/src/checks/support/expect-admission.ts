import type { Exchange } from '../../http/exchange.ts';
import type { GatewayCall } from '../../trial/gateway-tool.ts';
import type { Trial } from '../../trial/trial.ts';
import { hasErrorBody } from './has-error-body.ts';

/** Calls by what they are, in words. */
export type NamedCalls = Record<string, GatewayCall>;

/** Makes calls that must reach the fixture service. */
export async function expectLetThrough(t: Trial, calls: NamedCalls): Promise<void> {
  for (const [what, call] of Object.entries(calls)) {
    const exchange = await t.gateway.call({ ...call, acceptsRefusal: true });
    const echo = t.fixture.readEcho(exchange);
    const came = spell(exchange);
    t.expect(
      echo !== undefined,
      `${what}: must be let through, not answered with ${came}`,
      exchange,
    );
  }
}

/**
 * Makes calls that must be refused 'with a 4xx and the error body' (D15), and that the fixture service
 * must never see.
 *
 * @param mark what the calls carry as `mark` in their query, so that the service counts them
 */
export async function expectRefused(t: Trial, mark: string, calls: NamedCalls): Promise<void> {
  for (const [what, call] of Object.entries(calls)) {
    const exchange = await t.gateway.call({ ...call, acceptsRefusal: true });
    const { status } = exchange.received;
    const isRefusal = status >= 400 && status <= 499;
    t.expect(isRefusal, `${what}: must be refused with a 4xx, not ${spell(exchange)}`, exchange);
    if (!isRefusal) continue;
    const hasBody = hasErrorBody(exchange.received);
    t.expect(hasBody, `${what}: the ${status} must come with the error body`, exchange);
  }
  const count = await t.fixture.count(mark);
  const names = Object.keys(calls).join('; ');
  t.expect(count === 0, `the hosted service must not be called, but was ${count} times (${names})`);
}

function spell({ received: { status, json } }: Exchange): string {
  const { code } = Object(json);
  return typeof code === 'string' ? `${status} ${code}` : `${status}`;
}
