import type { Exchange } from '../../http/exchange.ts';
import type { GatewayCall } from '../../trial/gateway-tool.ts';
import type { Trial } from '../../trial/trial.ts';
import { cite } from './cite.ts';
import { hasErrorBody } from './has-error-body.ts';

/** Calls by what they are, in words. */
export type NamedCalls = Record<string, GatewayCall>;

/** Statuses of a gateway that takes no such body, whoever sends it: the contract names no limits. */
const NO_SUCH_BODY = new Set([411, 413, 415]);

/** Whether an answer says nothing about the credentials of its call. */
type Excuse = (t: Trial, call: GatewayCall) => Promise<boolean>;
const NONE: Excuse = async () => false;

/**
 * Makes calls that must reach the fixture service.
 *
 * @param isExcused asked where one does not. Default: no
 */
export async function expectLetThrough(
  t: Trial,
  calls: NamedCalls,
  isExcused = NONE,
): Promise<void> {
  for (const [what, call] of Object.entries(calls)) {
    const exchange = await t.gateway.call({ ...call, acceptsRefusal: true });
    const echo = t.fixture.readEcho(exchange);
    const came = spell(exchange);
    if (echo === undefined && NO_SUCH_BODY.has(exchange.received.status)) {
      t.note(`${what}: refused with ${came}, which says nothing about its credentials.`);
      continue;
    }
    if (echo === undefined && (await isExcused(t, call))) continue;
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
 * @param isExcused asked where one is not refused. Default: no
 */
export async function expectRefused(
  t: Trial,
  mark: string,
  calls: NamedCalls,
  isExcused = NONE,
): Promise<void> {
  let excused = 0;
  const taken: string[] = [];
  for (const [what, call] of Object.entries(calls)) {
    const exchange = await t.gateway.call({ ...call, acceptsRefusal: true });
    const { status } = exchange.received;
    const isRefusal = status >= 400 && status <= 499;
    if (!isRefusal && (await isExcused(t, call))) {
      excused += 1;
      continue;
    }
    t.expect(isRefusal, `${what}: must be refused with a 4xx, not ${spell(exchange)}`, exchange);
    if (!isRefusal) {
      taken.push(what);
      continue;
    }
    const hasBody = hasErrorBody(exchange.received);
    t.expect(hasBody, `${what}: the ${status} must come with the error body`, exchange);
  }
  if (excused > 0) return;
  const count = await t.fixture.count(mark);
  // A gateway may also refuse a call that it has passed on.
  const names = cite((taken.length > 0 ? taken : Object.keys(calls)).join('; '));
  t.expect(count === 0, `the hosted service must not be called, but was ${count} times (${names})`);
}

function spell({ received: { status, json } }: Exchange): string {
  const { code } = Object(json);
  return typeof code === 'string' ? `${status} ${code}` : `${status}`;
}
