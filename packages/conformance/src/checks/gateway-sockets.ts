import { setTimeout as wait } from 'node:timers/promises';
import type { Need } from '../contract/catalog.ts';
import { SkipError } from '../errors.ts';
import { NetworkError, within } from '../http/connection.ts';
import { type Exchange, readAll } from '../http/exchange.ts';
import { readEcho } from '../http/fixture-protocol.ts';
import {
  type Message,
  NO_CODE,
  type Ping,
  type Socket,
  type SocketEnd,
} from '../http/open-web-socket.ts';
import { quoteText } from '../results/redact.ts';
import { type Check, type CheckContext, defineCheck } from '../run/check.ts';
import { closeSocket } from '../run/clients.ts';
import {
  EVERY_BYTE,
  expectGatewayRejections,
  type NamedCalls,
  openSocket,
  readHello,
  undefinedIfNoResponse,
} from './calls.ts';

const NEEDS: readonly Need[] = ['fixture', 'webSocket'];

/** The code if a connection ends without a Close frame (RFC 6455, section 7.1.5). */
const ABNORMAL_CLOSURE = 1006;

/** How long a WebSocket is quiet, in milliseconds: no gateway may cut it off so soon. */
const QUIET = 3000;

/** How long to wait for a pong, in milliseconds, on a busy machine. */
const MAX_PONG_WAIT = 10_000;

/** A message, in fragments if it has several parts. */
interface Fragments extends Pick<Message, 'binary'> {
  parts: readonly (string | Buffer)[];
}
const text = (...parts: (string | Buffer)[]): Fragments => ({ parts, binary: false });
const binary = (...parts: Buffer[]): Fragments => ({ parts, binary: true });

/**
 * Sends messages to the fixture service, and returns what was received: at most one extra message. A final
 * message, which is echoed, marks the end, so that a lost one causes no wait.
 */
async function exchangeMessages(
  t: CheckContext,
  socket: Socket,
  messages: readonly Fragments[],
  count = messages.length,
) {
  const last = t.run.uniqueName();
  for (const { parts, binary } of [...messages, text(last)]) {
    for (const [index, part] of parts.entries()) {
      socket.send(part, { binary, fin: index === parts.length - 1 });
    }
  }
  const received = [];
  while (received.length <= count) {
    const message = await receive(t, socket);
    if (message === undefined || message.data.toString() === last) break;
    received.push(message);
  }
  return received;
}

/** Returns the next message; `undefined` if none arrives in time, or the socket was closed. */
async function receive(t: CheckContext, socket: Socket) {
  try {
    return await socket.next();
  } catch (error) {
    if (!(error instanceof NetworkError) || t.run.signal.aborted) throw error;
    socket.close();
    const end = await socket.closed().catch(() => undefined);
    // A broken connection proves nothing; on a live one, silence is the result.
    if (end?.code === ABNORMAL_CLOSURE) throw error;
    return undefined;
  }
}

/** Sends messages and expects them in return, or others, in this order and with their type. */
async function expectMessages(
  t: CheckContext,
  socket: Socket,
  upgrade: Exchange,
  messages: readonly Fragments[],
  expected = messages,
): Promise<void> {
  const received = await exchangeMessages(t, socket, messages, expected.length);
  const counts = `${expected.length} messages must arrive, but ${received.length} did`;
  t.expect(received.length === expected.length, counts, upgrade);
  for (const [index, { binary: isBinary, data }] of received.slice(0, expected.length).entries()) {
    const { parts, binary: wasBinary } = expected[index] as Fragments;
    const bytes = Buffer.concat(parts.map((part) => Buffer.from(part)));
    const sent = `message ${index + 1} (${wasBinary ? 'binary' : 'text'}, ${bytes.length} bytes)`;
    const message = `${sent} must arrive unchanged, but arrived as ${isBinary ? 'binary' : 'text'}, ${showBytes(t, data)}`;
    t.expect(isBinary === wasBinary && data.equals(bytes), message, upgrade);
  }
}

/** Secrets are redacted before the text is shortened, which may cut them. */
function showBytes({ run }: CheckContext, data: Buffer): string {
  const start = run.secrets.redact(data.toString()).slice(0, 40);
  return `${data.length} bytes, ${JSON.stringify(start)}`;
}

const BURST = Array.from({ length: 200 }, (_, index) => text(String(index)));

/** A character is split between two fragments (RFC 6455, section 5.4). */
const SPLIT = Buffer.from('in fragments: 中文é');

const TEXTS = [
  text(''),
  text(' {"a": 1}\r\n\0\t \uFEFF中文 é e\u0301 🙂'),
  text('a'.repeat(125)),
  text(`0${'0123456789abcdef'.repeat(4096)}`),
  text(SPLIT.subarray(0, 15), '', SPLIT.subarray(15)),
  ...BURST,
];

const BINARIES = [
  binary(EVERY_BYTE),
  binary(Buffer.alloc(0)),
  binary(Buffer.of(0)),
  binary(Buffer.from('a text, sent as binary')),
  binary(Buffer.concat(Array.from({ length: 257 }, () => EVERY_BYTE))),
  binary(Buffer.from('a text'), Buffer.of(0xff, 0), Buffer.alloc(0)),
];

/** Opens a WebSocket without messages; returns its handshake if it does not stay open for a while. */
function findClosed(t: CheckContext): Promise<Exchange | undefined> {
  return openSocket(t, {}, async (socket, upgrade) => {
    await wait(QUIET, undefined, { signal: t.run.signal });
    if (!socket.isOpen) return upgrade;
    const received = await exchangeMessages(t, socket, [text('still there')]);
    return received.length === 1 ? undefined : upgrade;
  });
}

async function expectPong(t: CheckContext, ping: Ping, upgrade: Exchange): Promise<void> {
  const late = new NetworkError('no pong in time', 'TIMEOUT');
  await undefinedIfNoResponse(t, within(MAX_PONG_WAIT, ping.answered, late));
  const { payload, actual } = ping;
  const message = `the payload of the pong must be "${payload}", not ${quoteText(actual)}`;
  t.expect(actual === payload, message, upgrade);
  // Any other pong would be waited for just as long.
  if (actual !== payload) throw new SkipError('no matching pong was received');
}

const NAME = 'sec-websocket-protocol';

/** Offers subprotocols, of which the fixture selects the last one by default. */
async function expectSelected(t: CheckContext, offers: readonly string[], selected: string) {
  const path = t.fixture.path('/socket', selected === '' ? {} : { protocol: selected });
  const upgrade = await t.gateway.upgrade({ path }, offers);
  const { received, socket } = upgrade;
  if (received.status !== 101) {
    throw new SkipError(`the response to a handshake was ${received.status}`);
  }
  const actual = readAll(received.headers, NAME).join(', ');
  const sent = `the caller must receive "${selected}", which the service selected of ${offers.join(', ') || 'none'}`;
  t.expect(actual === selected, `${sent}, not "${actual}"`, upgrade);
  // A choice that violates RFC 6455 opens no WebSocket.
  if (!socket) return;
  try {
    const hello = await readHello(socket);
    const arrived = readAll(hello.headers, NAME).join(',').replaceAll(' ', '');
    const message = `${offers.join(', ')} must reach the service, not ${arrived || 'none'}`;
    t.expect(arrived === offers.join(), message, upgrade);
  } finally {
    await closeSocket(socket);
  }
}

type Ending = readonly [code: number, reason: string];

/** A caller must not send codes that are reserved for servers. */
const CALLER_ENDS: Ending[] = [
  [NO_CODE, ''],
  [3000, 'x'.repeat(123)],
  [4999, 'Grund: 中文 é'],
];

const SERVICE_ENDS: Ending[] = [...CALLER_ENDS, [1000, ''], [1011, 'a failure in the service']];

function expectEnd(
  t: CheckContext,
  upgrade: Exchange,
  who: string,
  [code, reason]: Ending,
  end?: SocketEnd,
): void {
  const actual = end ? `${end.code} and "${end.reason}"` : 'neither';
  const message = `${who} must receive the code ${code} and "${reason}", not ${actual}`;
  t.expect(end?.code === code && end.reason === reason, message, upgrade);
  // Any other end would be waited for just as long.
  if (!end) throw new SkipError('no Close frame was received');
}

async function expectTexts(t: CheckContext): Promise<void> {
  const greet = t.run.uniqueName();
  await openSocket(t, { greet }, async (socket, upgrade) => {
    const first = (await undefinedIfNoResponse(t, socket.next()))?.data ?? Buffer.from('nothing');
    const isFirst = first.toString() === greet;
    const message = `the service's message must arrive first, not ${showBytes(t, first)}`;
    t.expect(isFirst, message, upgrade);
    await expectMessages(t, socket, upgrade, TEXTS);
    await expectMessages(t, socket, upgrade, [text(`!burst ${BURST.length}`)], BURST);
  });
  // A connection that breaks once proves nothing.
  const closed = (await findClosed(t)) && (await findClosed(t));
  const message = `a WebSocket without messages must stay open for ${QUIET / 1000} s, but two were closed`;
  t.expect(closed === undefined, message, closed);
}

export const gatewaySockets: readonly Check[] = [
  defineCheck('GW-WS-MESSAGES/1', NEEDS, expectTexts),
  defineCheck('GW-WS-UPGRADE', NEEDS, async (t) => {
    for (const headers of [
      { Cookie: 'a=1', 'X-Conformance': 'a' },
      { Origin: `http://${t.gateway.host}` },
    ]) {
      const offer = 'conformance';
      const path = t.fixture.path('/socket');
      const upgrade = await t.gateway.upgrade({ headers, path }, [offer]);
      const { socket, violation, received } = upgrade;
      const { status } = received;
      if (readEcho(upgrade)) throw new SkipError('the path did not reach the fixture service');
      const [name] = Object.keys(headers);
      if (status === 403 && name === 'Origin') {
        t.note('A handshake with Origin was rejected with 403, as RFC 6455, section 10.2, allows.');
        continue;
      }
      const rejected = `a handshake with ${name} must be accepted, but the response was ${status}`;
      t.expect(status === 101, rejected, upgrade);
      // A choice of subprotocol that violates RFC 6455 is covered by GW-WS-SUBPROTOCOL.
      const isValid = violation === undefined || received.header(NAME) !== offer;
      const message = `the 101 to a handshake with ${name} must be valid, but is not: ${violation}`;
      t.expect(isValid, message, upgrade);
      await closeSocket(socket);
    }
  }),
  defineCheck('GW-WS-MESSAGES/2', NEEDS, (t) =>
    openSocket(t, {}, (socket, upgrade) => expectMessages(t, socket, upgrade, BINARIES)),
  ),
  defineCheck('GW-WS-PING', NEEDS, (t) =>
    openSocket(t, {}, async (socket, upgrade) => {
      await expectPong(t, socket.ping('conformance'), upgrade);
      socket.send('one ', { fin: false });
      const ping = socket.ping('between');
      socket.send('message');
      const [received] = await exchangeMessages(t, socket, [], 1);
      const actual = received?.data.toString();
      const message = `"one message" must arrive with a ping between its fragments, not ${quoteText(actual)}`;
      t.expect(actual === 'one message', message, upgrade);
      await expectPong(t, ping, upgrade);
    }),
  ),
  defineCheck('GW-WS-SUBPROTOCOL', NEEDS, async (t) => {
    await expectSelected(t, ['One', 'V3.conformance+x', 'one'], 'V3.conformance+x');
    await expectSelected(t, ['one', 'two'], 'two');
    await expectSelected(t, [], '');
  }),
  defineCheck('GW-WS-CLOSE', NEEDS, async (t) => {
    for (const ending of SERVICE_ENDS) {
      await openSocket(t, {}, async (socket, upgrade) => {
        socket.send(ending[0] === NO_CODE ? '!close' : `!close ${ending.join(' ')}`.trim());
        const end = await undefinedIfNoResponse(t, socket.closed());
        expectEnd(t, upgrade, 'when the service closes the WebSocket, the caller', ending, end);
      });
    }
    for (const ending of CALLER_ENDS) {
      const mark = t.run.uniqueName();
      await openSocket(t, { mark }, async (socket, upgrade) => {
        socket.close(...ending);
        const end = await t.fixture.closed(mark);
        expectEnd(t, upgrade, 'when the caller closes the WebSocket, the service', ending, end);
      });
    }
  }),
  // A handshake is authenticated like any other call (D14).
  defineCheck('GW-WS-AUTH', NEEDS, async (t) => {
    await openSocket(t, {}, async () => {});
    const { otherEnvToken } = t.run.settings;
    const path = t.fixture.path('/socket');
    const bearer = (token: string) => ({ path, credentials: { Authorization: `Bearer ${token}` } });
    const calls: NamedCalls = {
      'no credentials': { path, credentials: 'none' },
      'a wrong token': bearer('wrong'),
      ...(otherEnvToken && { 'a token from another environment': bearer(otherEnvToken) }),
    };
    await expectGatewayRejections(t, calls, async (call) => {
      const upgrade = await t.gateway.upgrade(call);
      upgrade.socket?.close();
      return upgrade;
    });
  }),
];
