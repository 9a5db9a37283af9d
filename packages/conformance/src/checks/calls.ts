/* What several files of checks share: gateway calls, what they expect of the responses, and parts of invalid credentials. */
import { SkipError } from '../errors.ts';
import { NetworkError } from '../http/connection.ts';
import type { Exchange, HeaderList } from '../http/exchange.ts';
import { type FixtureRequest, readEcho } from '../http/fixture-protocol.ts';
import type { Socket, Upgrade } from '../http/open-web-socket.ts';
import { codeOf, hasErrorBody } from '../http/read-response.ts';
import { parseJson, toFields } from '../json.ts';
import { quoteText } from '../results/redact.ts';
import type { CallContext } from '../run/call-context.ts';
import type { CheckContext } from '../run/check.ts';
import { closeSocket, type GatewayCall } from '../run/clients.ts';

/** The methods for which the contract defines gateway operations; every gateway must forward such calls. */
export const GET = { method: 'GET' } satisfies GatewayCall;
export const POST = {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: '{}',
} satisfies GatewayCall;

export const EVERY_BYTE = Buffer.from(Array.from({ length: 256 }, (_, index) => index));

export const alternate = <Call extends GatewayCall>(calls: readonly Call[]) =>
  calls.map((call, index) => ({ ...(index % 2 === 0 ? GET : POST), ...call }));

/** Describes a response: `404 SERVICE_NOT_FOUND`. That of a service may contain credentials, so its body is omitted. */
export function showResponse({ received }: Exchange): string {
  const { status, text } = received;
  return status < 400 ? `${status}` : `${status} ${quoteText(codeOf(received) ?? text)}`;
}

/**
 * Makes a call that must reach the fixture service, and returns it with the request as it arrived there. A call that does
 * not arrive is a finding, unless a plain call does not arrive either. Invariants compare what arrives.
 *
 * @param rejection a status with which HTTP allows a gateway to reject this call; the operator then gets a note
 */
export async function callEcho(t: CheckContext, call: GatewayCall, rejection?: number) {
  const exchange = await t.gateway.call(call);
  const echo = readEcho(exchange);
  const { sent, received } = exchange;
  const what = `${sent.method} ${sent.url.slice(0, 200)}`;
  if (!echo && received.status === rejection) {
    t.note(`${what} was rejected with ${rejection}, as HTTP allows.`);
    return { exchange };
  }
  const plain = sent.method === 'POST' ? POST : GET;
  if (!echo && !readEcho(await t.gateway.call({ ...plain, path: '/echo' }))) {
    throw new SkipError('a plain call does not reach the fixture service');
  }
  const message = `${what} must reach the service, but the response was ${showResponse(exchange)}`;
  t.expectAccepted(echo !== undefined, message, exchange);
  return { echo, exchange };
}

/**
 * Opens a WebSocket to the fixture service, and closes it when `use` is done. If it cannot be opened, the check is
 * skipped: GW-WS-UPGRADE covers that failure.
 */
export async function openSocket<Result>(
  t: CallContext,
  { call, ...request }: FixtureRequest & { call?: GatewayCall },
  use: (socket: Socket, upgrade: Upgrade) => Promise<Result>,
): Promise<Result> {
  const upgrade = await t.gateway.upgrade({ path: t.fixture.path('/socket', request), ...call });
  const { socket, received, violation = '' } = upgrade;
  if (!socket) throw new SkipError(`no WebSocket could be opened: ${received.status} ${violation}`);
  try {
    return await use(socket, upgrade);
  } finally {
    await closeSocket(socket);
  }
}

/** Returns what a call resolves to; `undefined` if its connection breaks, or nothing arrives in time. */
export async function undefinedIfNoResponse<Value>(t: CheckContext, call: Promise<Value>) {
  try {
    return await call;
  } catch (error) {
    if (error instanceof NetworkError && !t.run.signal.aborted) return undefined;
    throw error;
  }
}

/** Returns the WebSocket handshake as it reached the fixture service. */
export async function readHello(socket: Socket): Promise<{ target: string; headers: HeaderList }> {
  socket.send('!hello');
  const message = await socket.next().catch(() => undefined);
  const { target, headers } = toFields(message && parseJson(message.data));
  if (typeof target === 'string' && Array.isArray(headers)) return { target, headers };
  throw new SkipError('the fixture service did not report the handshake that it received');
}

/** Named calls that already have their credentials. */
export type NamedCalls = Record<string, GatewayCall>;

/** Statuses of a gateway that rejects such a body from anyone: the contract specifies no limits. */
const BODY_REJECTIONS = [411, 413, 415];

/** Makes calls that must be accepted, so that they reach the fixture service. */
export async function expectForwarded<Call extends GatewayCall>(
  t: CheckContext,
  calls: Record<string, Call>,
  send: (call: Call) => Promise<Exchange> = (call) => t.gateway.call(call),
): Promise<void> {
  for (const [what, call] of Object.entries(calls)) {
    const exchange = await send(call);
    const actual = showResponse(exchange);
    const message = `${what} must be accepted, but the response was ${actual}`;
    if (BODY_REJECTIONS.includes(exchange.received.status))
      t.note(`${what} was rejected with ${actual}, as HTTP allows.`);
    else t.expectAccepted(readEcho(exchange) !== undefined, message, exchange);
  }
}

/**
 * Makes calls that must be rejected with a 4xx and the error body (D15), and must never reach the fixture service. Marks
 * in their queries let the fixture service count them, together and individually. Default path: `/a/b`.
 */
export async function expectGatewayRejections<Call extends GatewayCall>(
  t: CheckContext,
  calls: Record<string, Call>,
  send: (call: Call) => Promise<Exchange> = (call) => t.gateway.call(call),
): Promise<void> {
  const shared = t.run.uniqueName();
  const rejected = [];
  for (const [what, call] of Object.entries(calls)) {
    const mark = t.run.uniqueName();
    const { path = '/a/b' } = call;
    const query = `mark=${shared}&mark=${mark}`;
    const marked = { ...call, path: `${path}${path.includes('?') ? '&' : '?'}${query}` };
    const exchange = await send(marked);
    expectError(t, exchange, what);
    rejected.push({ what, mark, exchange });
  }
  // A gateway may also reject a call that it has already forwarded.
  const isForwarded = (await t.fixture.count(shared)) > 0;
  for (const { what, mark, exchange } of rejected) {
    const count = isForwarded ? await t.fixture.count(mark) : 0;
    const times = count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`;
    const message = `${what} must not reach the hosted service, but reached it ${times}`;
    t.expect(count === 0, message, exchange);
  }
}

/** Whether the gateway has rejected a call: with any 4xx, and with the error body (D15). */
export function isRejection({ received }: Exchange): boolean {
  return received.status >= 400 && received.status < 500 && hasErrorBody(received);
}

export function expectError(t: CheckContext, exchange: Exchange, what: string): void {
  const expected = `${what} must be rejected with a 4xx and the gateway's error body`;
  const message = `${expected}, but the response was ${showResponse(exchange)}`;
  t.expect(isRejection(exchange), message, exchange);
}

/** Well below the tolerance of any reasonable verifier, in seconds. */
const MAX_CLOCK_SKEW = 120;

/** Skips a check whose signatures contain the time if this machine's clock differs from the gateway's. */
export async function assertClock(t: CallContext): Promise<void> {
  const { received } = await t.gateway.call({ credentials: 'none' });
  const gatewayTime = Date.parse(received.header('date') ?? '');
  const seconds = Math.round(Math.abs(Date.now() - gatewayTime) / 1000);
  if (Number.isNaN(gatewayTime) || seconds <= MAX_CLOCK_SKEW) return;
  throw new SkipError(`this machine's clock differs from the gateway's by ${seconds} s`);
}

/** Replaces each character in the range with a different one that is valid in hex and base64. */
export function changeChars(text: string, start: number, end = text.length): string {
  const changed = text.slice(start, end).replace(/./g, (char) => (char === '0' ? '1' : '0'));
  return text.slice(0, start) + changed + text.slice(end);
}

/** Headers that some servers take for the identity of an internal call. */
export const SPOOFED_IDENTITY_HEADERS: HeaderList = [
  ['X-Forwarded-For', '127.0.0.1'],
  ['X-Real-IP', '127.0.0.1'],
  ['X-Forwarded-User', 'admin'],
  ['X-Remote-User', 'admin'],
];
