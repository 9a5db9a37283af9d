import type { CheckContext } from '../context/check-context.ts';
import type { GatewayCall } from '../context/gateway-client.ts';
import type { Exchange } from '../http/exchange.ts';
import { codeOf } from '../invariants.ts';
import { cite } from '../validation/cite.ts';
import { expectError } from './fixture-calls.ts';
import type { SignedCall } from './signed-calls.ts';

export type NamedCalls<Call = GatewayCall> = Record<string, Call>;

/** Returns whether the response to a call says nothing about its credentials. */
type Excuse = (t: CheckContext, call: GatewayCall) => Promise<boolean>;

const NONE: Excuse = async () => false;

/** Statuses of a gateway that rejects such a body from anyone: the contract specifies no limits. */
const NO_SUCH_BODY = [411, 413, 415];

/** Makes calls that must reach the fixture service, unless they are excused. */
export async function expectForwarded(
  t: CheckContext,
  calls: NamedCalls,
  isExcused = NONE,
): Promise<void> {
  for (const [what, call] of Object.entries(calls)) {
    const exchange = await t.gateway.call({ ...call, acceptsRefusal: true });
    const isForwarded = t.fixture.readEcho(exchange) !== undefined;
    const actual = spell(exchange);
    if (!isForwarded && NO_SUCH_BODY.includes(exchange.received.status)) {
      t.note(`${what} was rejected with ${actual}, for a reason other than its credentials.`);
    } else if (isForwarded || !(await isExcused(t, call))) {
      const message = `${what} must be accepted, but the response was ${actual}`;
      t.expect(isForwarded, message, exchange);
    }
  }
}

interface RefusalOptions<Call> {
  /** Adds the credentials to a call. Default: it has them already. */
  sign?: (call: Call) => GatewayCall;
  isExcused?: Excuse;
  /** Default: each call has its own connection. */
  send?: (call: GatewayCall) => Promise<Exchange>;
}

/**
 * Makes calls that must be rejected 'with a 4xx and the error body' (D15), and that the fixture service must
 * never receive. It counts them by the `mark=…` that is added to their query. Without a path,
 * they call `/a/b`.
 */
export async function expectRefused<Call extends GatewayCall | SignedCall>(
  t: CheckContext,
  calls: NamedCalls<Call>,
  {
    sign = (call) => call as GatewayCall,
    isExcused = NONE,
    send = (call) => t.gateway.call(call),
  }: RefusalOptions<Call> = {},
): Promise<void> {
  const mark = t.uniqueName();
  let isAnyExcused = false;
  const accepted: string[] = [];
  for (const [what, { path = '/a/b', ...rest }] of Object.entries(calls)) {
    const marked = `${path}${path.includes('?') ? '&' : '?'}mark=${mark}`;
    const call = sign({ ...rest, path: marked } as Call);
    const exchange = await send({ ...call, acceptsRefusal: true });
    const { status } = exchange.received;
    const isRefusal = status >= 400 && status <= 499;
    if (!isRefusal && (await isExcused(t, call))) {
      isAnyExcused = true;
      continue;
    }
    if (!isRefusal) accepted.push(what);
    expectError(t, exchange, what);
  }
  if (isAnyExcused) return;
  const count = await t.fixture.count(mark);
  // A gateway may also reject a call that it has already forwarded.
  const names = cite((accepted.length > 0 ? accepted : Object.keys(calls)).join('; '));
  const message = `the hosted service must not be called, but it was called ${count} times (${names})`;
  t.expect(count === 0, message);
}

function spell({ received }: Exchange): string {
  return `${received.status} ${codeOf(received) ?? ''}`.trimEnd();
}
