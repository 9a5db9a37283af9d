import type { CheckContext } from '../../context/check-context.ts';
import type { Echo, ResponseOrder } from '../../context/fixture-client.ts';
import type { GatewayCall } from '../../context/gateway-client.ts';
import {
  type Evidence,
  type Exchange,
  type HeaderList,
  parseJson,
  readAll,
} from '../../http/exchange.ts';
import { isSameType } from '../../http/media-type.ts';
import type { Socket, Upgrade } from '../../http/open-web-socket.ts';
import { cite } from '../../validation/cite.ts';

/**
 * Makes a call that, according to the rule, must reach the fixture service, and returns the request as it
 * arrived there. A call that does not arrive is a finding, unless a plain call does not arrive either.
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
): Promise<Echo | undefined> {
  const exchange = await t.gateway.call(call);
  const echo = t.fixture.readEcho(exchange);
  if (echo) return echo;
  const { status } = exchange.received;
  if (status === refusal) {
    t.note(`${what} was rejected with ${refusal}, as HTTP allows.`);
    return undefined;
  }
  const isPost = (call.body ?? call.chunks) !== undefined;
  const plain = t.fixture.readEcho(
    await t.gateway.call({ ...(isPost && jsonPost), path: '/echo' }),
  );
  t.reach(plain !== undefined, 'a plain call does not reach the fixture service');
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
export const gatewayMethods = [{ method: 'GET', headers: {} }, jsonPost] satisfies GatewayCall[];

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
  // What the fixture returns to a request without a query.
  const isBare = received.body.length === 0 && received.mediaType === undefined;
  const mayLackQuery = isBare && received.status === 200 && order.type !== undefined;
  const isLost =
    isMisread ||
    t.fixture.readEcho(exchange) ||
    (mayLackQuery && (await t.fixture.count(mark)) === 0);
  t.reach(!isLost, 'the request did not reach the /respond path of the fixture service');
  return exchange;
}

/** Returns the WebSocket handshake as it reached the fixture service. */
export async function readHello(
  t: CheckContext,
  socket: Socket,
): Promise<{ target: string; headers: HeaderList }> {
  socket.send('!hello');
  const message = await socket.next().catch(() => undefined);
  const hello = message && Object(parseJson(message.data));
  const isHello = typeof hello?.target === 'string' && Array.isArray(hello.headers);
  t.reach(isHello, 'the fixture service did not report the handshake that it received');
  return hello;
}

/** An error from the gateway itself, and the call that led to it: `a GET to a missing service`. */
type Provoked = { what: string; exchange: Exchange };

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
    'a GET with an unknown scheme': { service, credentials: { Authorization: 'wrong' } },
    'a GET with a one-letter service name': { service: 'a' },
    'a POST with a service name that begins with a digit': { service: `1${service}`, ...jsonPost },
    ...(forbiddenService && { 'a GET to the forbidden service': { service: forbiddenService } }),
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

/**
 * Expects headers to arrive as they were sent.
 *
 * @param evidence Default: the last call of this check
 */
export function expectSameHeaders(
  t: CheckContext,
  what: string,
  sent: HeaderList,
  arrived: HeaderList,
  evidence?: Evidence,
): void {
  for (const name of new Set(sent.map(([key]) => key.toLowerCase()))) {
    const [wanted = [], got = []] = [sent, arrived].map((list) =>
      readAll(list, name).map((value) => value.trim()),
    );
    const came = got.length === 0 ? 'but it is missing' : `not as ${spell(got)}`;
    const message = `${what}: ${name} must arrive as ${spell(wanted)}, ${came}`;
    t.expect(isSame(name, wanted, got), message, evidence);
  }
}

/** Returns whether a header is the one that was sent, as far as HTTP lets a gateway change it (D7). */
function isSame(name: string, wanted: readonly string[], got: readonly string[]): boolean {
  if (name === 'content-type') return got.length === 1 && isSameType(wanted[0], got[0]);
  if (name === 'vary') {
    const members = toMembers(got.join().toLowerCase());
    return toMembers(wanted.join().toLowerCase()).every((member) => members.includes(member));
  }
  // Cookies may contain commas, and a gateway may add cookies.
  if (name === 'set-cookie') {
    return wanted.join('\n') === got.filter((one) => wanted.includes(one)).join('\n');
  }
  if (wanted.length < 2) return wanted.length === got.length && wanted[0] === got[0];
  // Several lines are equivalent to one list, and spaces around its commas mean nothing (RFC 9110,
  // section 5.3).
  return toMembers(wanted.join()).join() === toMembers(got.join()).join();
}

function toMembers(list: string): string[] {
  return list.split(',').map((member) => member.trim());
}

function spell(values: readonly string[]): string {
  return cite(values.join(', '));
}
