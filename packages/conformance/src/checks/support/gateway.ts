import type { CheckContext } from '../../context/check-context.ts';
import type { Echo, ResponseOrder } from '../../context/fixture-client.ts';
import type { GatewayCall, GatewayClient } from '../../context/gateway-client.ts';
import type { Exchange, HeaderList } from '../../http/exchange.ts';
import type { Socket, Upgrade } from '../../http/open-web-socket.ts';
import { hasErrorBody } from '../../validation/exchange-rules.ts';
import { cite } from './cite.ts';

export { hasErrorBody };

/**
 * Makes a call that, according to the rule, must reach the fixture service, and returns the request as it
 * arrived there. A call that does not arrive is a finding, unless a plain call with the same method does not
 * arrive either.
 *
 * @param what describes the case: `GET /a//b`
 * @param refusal a status with which HTTP allows a gateway to reject this call. If the gateway does so, the
 *   operator gets a note
 */
export async function callEcho(
  t: CheckContext,
  call: GatewayCall,
  what: string,
  refusal?: number,
): Promise<{ echo: Echo; exchange: Exchange } | undefined> {
  const exchange = await t.gateway.call(call);
  const echo = t.fixture.readEcho(exchange);
  if (echo) return { echo, exchange };
  if (exchange.received.status === refusal) {
    t.note(`${what} was rejected with ${refusal}, as HTTP allows.`);
    return undefined;
  }
  const plain = await t.gateway.call({
    ...(call.method === undefined ? {} : { method: call.method }),
    ...((call.body ?? call.chunks) === undefined
      ? {}
      : { headers: { 'Content-Type': 'application/json' }, body: '{}' }),
    path: '/echo',
  });
  t.reach(
    t.fixture.readEcho(plain) !== undefined,
    'a plain call does not reach the fixture service',
  );
  const { status } = exchange.received;
  t.expect(false, `${what} must reach the service, but the response was ${status}`, exchange);
  return undefined;
}

/** A POST that every gateway must forward, with a JSON object as its body. */
export const jsonPost = {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: '{}',
} satisfies GatewayCall;

/** The methods for which the contract defines gateway operations. */
export const gatewayMethods = [{ method: 'GET' }, jsonPost] as const satisfies GatewayCall[];

/**
 * Requests a response from the fixture service and returns it as received. If the gateway changed the
 * request, the check is skipped: the rules about paths and queries cover that failure.
 */
export async function requestResponse(
  t: CheckContext,
  order: ResponseOrder,
  call: GatewayCall = {},
): Promise<Exchange> {
  const mark = t.uniqueName();
  const exchange = await t.gateway.call({ ...call, path: t.fixture.respond({ ...order, mark }) });
  const { received } = exchange;
  const { parameter } = Object(received.json);
  const isMisread = received.status === 400 && order.status !== 400 && parameter !== undefined;
  t.reach(
    !t.fixture.readEcho(exchange) && !isMisread,
    'the request did not reach the /respond path of the fixture service',
  );
  // What the fixture returns to a request without a query.
  const isBare = received.body.length === 0 && received.mediaType === undefined;
  if (isBare && received.status === 200 && order.type !== undefined) {
    t.reach(
      (await t.fixture.count(mark)) > 0,
      'the query of the request did not reach the fixture service',
    );
  }
  return exchange;
}

/** Returns the WebSocket handshake as it reached the fixture service. */
export async function readHello(
  t: CheckContext,
  socket: Socket,
): Promise<{ target: string; headers: HeaderList }> {
  socket.send('!hello');
  const message = await socket.next().catch(() => undefined);
  const hello = parse(message?.data.toString() ?? '');
  t.reach(hello !== undefined, 'the fixture service did not report the handshake that it received');
  return hello;
}

function parse(text: string): { target: string; headers: HeaderList } | undefined {
  try {
    const hello = JSON.parse(text);
    return typeof hello.target === 'string' && Array.isArray(hello.headers) ? hello : undefined;
  } catch {
    return undefined;
  }
}

/** An error from the gateway itself. */
interface Provoked {
  /** Describes the case: `a GET to a missing service` */
  what: string;
  exchange: Exchange;
}

/**
 * Makes calls that the gateway must reject according to the contract, and returns the error responses. If the
 * gateway accepts every call, the check is skipped.
 */
export async function provokeErrors(t: CheckContext): Promise<Provoked[]> {
  const service = t.uniqueName();
  const { forbiddenService } = t.settings;
  const calls: Record<string, GatewayCall> = {
    'a GET to a missing service': { service },
    'a GET to a path of a missing service': { service, path: '/a/b?c=d' },
    'a POST to a missing service': { service, ...jsonPost },
    'a GET without credentials': { service, credentials: 'none' },
    'a POST without credentials': { service, ...jsonPost, credentials: 'none' },
    'a GET with a wrong token': { service, credentials: { Authorization: 'Bearer wrong' } },
    'a GET with an unknown authentication scheme': {
      service,
      credentials: { Authorization: 'wrong' },
    },
    'a GET with a one-letter service name': { service: 'a' },
    'a POST with a service name that begins with a digit': { service: `1${service}`, ...jsonPost },
    ...(forbiddenService
      ? { 'a GET to the forbidden service': { service: forbiddenService } }
      : {}),
  };
  const provoked: Provoked[] = [];
  for (const [what, call] of Object.entries(calls)) {
    const exchange = await t.gateway.call({ ...call, acceptsRefusal: true });
    const { status } = exchange.received;
    if (status >= 400) provoked.push({ what, exchange });
  }
  t.reach(provoked.length > 0, 'the gateway rejected none of the invalid calls');
  return provoked;
}

interface SocketOrder extends NonNullable<Parameters<CheckContext['fixture']['socket']>[0]> {
  /** The offered subprotocols. */
  offers?: readonly string[];
  call?: GatewayCall;
}

/**
 * Opens a WebSocket to the fixture service, and closes it when `use` is done. If the WebSocket cannot be
 * opened, the check is skipped: GW-WS-UPGRADE covers that failure.
 */
export async function openSocket<Result>(
  t: CheckContext,
  { offers = [], call = {}, ...order }: SocketOrder,
  use: (socket: Socket, upgrade: Upgrade) => Promise<Result>,
): Promise<Result> {
  const path = t.fixture.socket(order);
  const upgrade = await t.gateway.upgrade({ path, ...call }, offers);
  const { socket, status, breach = '' } = upgrade;
  t.reach(socket !== undefined, `no WebSocket could be opened: ${status} ${breach}`);
  try {
    return await use(socket, upgrade);
  } finally {
    socket.close();
    // Only the end matters, not how it happens.
    await socket.closed().catch(() => {});
  }
}

/** Makes a handshake that the fixture service rejects with this status. */
export async function refuseHandshake(
  t: CheckContext,
  { refuse = 403, ...order }: SocketOrder = {},
): Promise<Upgrade> {
  const upgrade = await t.gateway.upgrade({
    path: t.fixture.socket({ ...order, refuse }),
    acceptsRefusal: true,
  });
  upgrade.socket?.close();
  t.reach(upgrade.socket === undefined, 'a handshake that the service rejects opens a WebSocket');
  return upgrade;
}

/** Well below the tolerance of any reasonable verifier, in seconds. */
const FARTHEST = 120;

/**
 * Ends a check whose signatures contain the time if this machine's clock differs from the gateway's, because
 * a rejected call would then prove nothing about the gateway.
 */
export async function assertClock(t: CheckContext): Promise<void> {
  const { received } = await t.gateway.call({ credentials: 'none' });
  const theirs = Date.parse(received.header('date') ?? '');
  const seconds = Math.round(Math.abs(Date.now() - theirs) / 1000);
  const isClose = Number.isNaN(theirs) || seconds <= FARTHEST;
  t.reach(isClose, `this machine's clock differs from the gateway's by ${seconds} s`);
}

/** Signed calls, keyed by description. */
export type NamedCalls = Record<string, GatewayCall>;

/** Statuses of a gateway that rejects such a body from anyone: the contract specifies no limits. */
const NO_SUCH_BODY = new Set([411, 413, 415]);

/** Returns whether a response says nothing about the credentials of its call. */
type Excuse = (t: CheckContext, call: GatewayCall) => Promise<boolean>;

const NONE: Excuse = async () => false;

/**
 * Makes calls that must reach the fixture service.
 *
 * @param isExcused decides whether a call that does not arrive is excused. Default: none is excused
 */
export async function expectForwarded(
  t: CheckContext,
  calls: NamedCalls,
  isExcused = NONE,
): Promise<void> {
  for (const [what, call] of Object.entries(calls)) {
    const exchange = await t.gateway.call({ ...call, acceptsRefusal: true });
    const echo = t.fixture.readEcho(exchange);
    const came = spell(exchange);
    if (echo === undefined && NO_SUCH_BODY.has(exchange.received.status)) {
      t.note(`${what} was rejected with ${came}, for a reason other than its credentials.`);
      continue;
    }
    if (echo === undefined && (await isExcused(t, call))) continue;
    t.expect(
      echo !== undefined,
      `${what} must be accepted, but the response was ${came}`,
      exchange,
    );
  }
}

/**
 * Makes calls that must be rejected 'with a 4xx and the error body' (D15), and that the fixture service must
 * never receive.
 *
 * @param mark the value of `mark` in the query of each call, by which the service counts the calls
 * @param isExcused decides whether a call that is not rejected is excused. Default: none is excused
 * @param gateway the client for the calls. Default: each has its own connection
 */
export async function expectRefused(
  t: CheckContext,
  mark: string,
  calls: NamedCalls,
  isExcused = NONE,
  gateway: Pick<GatewayClient, 'call'> = t.gateway,
): Promise<void> {
  let excused = 0;
  const taken: string[] = [];
  for (const [what, call] of Object.entries(calls)) {
    const exchange = await gateway.call({ ...call, acceptsRefusal: true });
    const { status } = exchange.received;
    const isRefusal = status >= 400 && status <= 499;
    if (!isRefusal && (await isExcused(t, call))) {
      excused += 1;
      continue;
    }
    t.expect(
      isRefusal,
      `${what} must be rejected with a 4xx, but the response was ${spell(exchange)}`,
      exchange,
    );
    if (!isRefusal) {
      taken.push(what);
      continue;
    }
    const hasBody = hasErrorBody(exchange.received);
    t.expect(
      hasBody,
      `${what}: the ${status} response must have the gateway's error body`,
      exchange,
    );
  }
  if (excused > 0) return;
  const count = await t.fixture.count(mark);
  // A gateway may also reject a call that it has already forwarded.
  const names = cite((taken.length > 0 ? taken : Object.keys(calls)).join('; '));
  t.expect(
    count === 0,
    `the hosted service must not be called, but it was called ${count} times (${names})`,
  );
}

function spell({ received: { status, json } }: Exchange): string {
  const { code } = Object(json);
  return typeof code === 'string' ? `${status} ${code}` : `${status}`;
}
