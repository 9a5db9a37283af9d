import type { CheckContext } from '../context/check-context.ts';
import type { GatewayCall } from '../context/gateway-client.ts';
import { readAll } from '../http/exchange.ts';
import { NetworkFault } from '../http/health.ts';
import type { Message, Socket, SocketEnd } from '../http/open-web-socket.ts';
import { Failed } from '../result.ts';

import { type Check, defineCheck } from './check.ts';
import { followEvents, parseEvents } from './support/events.ts';
import { gatewayMethods, hasErrorBody, openSocket, readHello } from './support/gateway.ts';

/** How an unclosed socket ends (RFC 6455, section 7.1.5). */
const CUT = 1006;

/**
 * Sends messages to the fixture service, which echoes them, and returns what was received. A final message
 * marks the end, so that a lost one causes no wait.
 */
async function exchangeMessages(
  t: CheckContext,
  socket: Socket,
  messages: readonly (string | Uint8Array)[],
): Promise<Message[]> {
  const last = t.uniqueName();
  for (const message of [...messages, last]) socket.send(message);
  const came: Message[] = [];
  for (;;) {
    const message = await receive(t, socket);
    if (message === undefined || message.data.toString() === last) return came;
    came.push(message);
  }
}

/** Returns the next message; `undefined` if none arrives in time, or the socket was closed. */
async function receive(t: CheckContext, socket: Socket): Promise<Message | undefined> {
  try {
    return await socket.next();
  } catch (error) {
    if (!(error instanceof NetworkFault) || t.signal.aborted) throw error;
    socket.close();
    const end = await socket.closed().catch(() => undefined);
    // A broken connection proves nothing; on a live one, silence is the result.
    if (end?.code === CUT) throw error;
    return undefined;
  }
}

/** Sends messages and expects these in return, in this order and with this type. Default: the same ones. */
async function expectMessages(
  t: CheckContext,
  socket: Socket,
  what: string,
  messages: readonly (string | Buffer)[],
  wanted = messages,
): Promise<void> {
  const kind = typeof wanted[0] === 'string' ? 'text' : 'binary';
  const came = await exchangeMessages(t, socket, messages);
  const counts = `${what}: ${wanted.length} messages must arrive, but ${came.length} did`;
  t.expect(came.length === wanted.length, counts);
  for (const [index, { binary, data }] of came.entries()) {
    const sent = Buffer.from(wanted[index] ?? '');
    const place = `${what}: message ${index + 1} (${sent.length} bytes)`;
    t.expect(binary === (kind === 'binary'), `${place} must arrive as ${kind}`);
    t.expect(data.equals(sent), `${place} must arrive unchanged, but arrived as ${show(data)}`);
  }
}

function show(data: Buffer): string {
  return `${data.length} bytes, ${JSON.stringify(data.subarray(0, 40).toString('latin1'))}`;
}

/** How long the fixture waits for the release, and again between later events, in milliseconds. */
const LONGEST_WAIT = 3000;

/**
 * A busy machine may occasionally deliver events together that were sent separately; a gateway that buffers
 * always does.
 */
const STREAMS = 3;

/**
 * The service holds its stream after the first event until it is released. A caller that has received the
 * first event by then did not have to wait for a later one. The service holds it again after the second
 * event.
 */
async function expectUnbuffered(t: CheckContext, call: GatewayCall): Promise<void> {
  for (let streams = 1; ; streams += 1) {
    const { open, buffered } = await followHeldStream(t, call);
    if (buffered !== undefined && streams < STREAMS) continue;
    t.expect(buffered === undefined, `${call.method} /events: ${buffered}`, open);
    return;
  }
}

async function followHeldStream(t: CheckContext, call: GatewayCall) {
  const hold = t.uniqueName();
  const wait = Math.min(LONGEST_WAIT, Math.floor(t.settings.timeout / 4));
  const path = t.fixture.events({ count: 3, hold, wait, interval: wait });
  const headers = { ...call.headers, Accept: 'text/event-stream' };
  const open = await t.gateway.open({ ...call, headers, path });
  const stream = followEvents(open);
  try {
    t.reach(
      open.status === 200,
      `the response to a request for an event stream was ${open.status}`,
    );
    await stream.until(1);
    t.reach(stream.events().length > 0, 'no event arrived');
    if (!(await t.fixture.release(hold))) {
      // Without a release and without later events, another instance of the fixture got the release.
      if (stream.events().length === 1) return { open };
      return {
        open,
        buffered:
          'the first event must arrive as soon as it is sent, but arrived together with later events',
      };
    }
    await stream.until(2);
    const later = stream.events().length;
    t.reach(later > 1, 'the event stream was cut off');
    if (later === 2) return { open };
    return {
      open,
      buffered:
        'the second event must arrive as soon as it is sent, but arrived together with the next one',
    };
  } finally {
    await stream.close();
  }
}

const EVENT_ORDERS = [
  { count: 1 },
  { count: 3, interval: 5 },
  { count: 50, type: 'text/event-stream; charset=utf-8' },
];

function isOf(data: string, id: string): boolean {
  try {
    return String(JSON.parse(data).n) === id;
  } catch {
    return false;
  }
}

const BAD: Record<string, NonNullable<GatewayCall['credentials']>> = {
  'no credentials': 'none',
  'a wrong token': { Authorization: 'Bearer wrong' },
  'an empty token': { Authorization: 'Bearer ' },
  'credentials of an unknown scheme': { Authorization: 'Wrong wrong' },
  'half a signature': { Authorization: 'TC3-HMAC-SHA256 Credential=a' },
};

const EVERY_BYTE = Buffer.from(Uint8Array.from({ length: 256 }, (_, index) => index));

const MESSAGES = [
  EVERY_BYTE,
  Buffer.alloc(0),
  Buffer.of(0),
  Buffer.from('a text, sent as binary'),
  Buffer.of(0xc3, 0x28, 0xff, 0xfe),
  Buffer.concat(Array.from({ length: 256 }, () => EVERY_BYTE)),
];

const BINARY_BURST = Array.from({ length: 100 }, (_, index) => Buffer.of(index, 0xff, index));

const ENDS: [code: number, reason: string][] = [
  [1000, ''],
  [1000, 'done'],
  [4001, 'some reason'],
  [4999, 'Grund: 中文 é'],
  [3000, 'x'.repeat(123)],
  [1011, 'a failure in the service'],
];

/** A caller must not send codes that are reserved for servers. */
const OF_CALLERS = ENDS.filter(([code]) => code === 1000 || code >= 3000);

function expectEnd(
  t: CheckContext,
  who: string,
  [code, reason]: [number, string],
  end?: SocketEnd,
): void {
  const came = end ? `${end.code} and "${end.reason}"` : 'neither';
  const isSame = end?.code === code && end.reason === reason;
  t.expect(
    isSame,
    `${who} must receive the close code ${code} and the reason "${reason}", but received ${came}`,
  );
  // Any other end would be waited for just as long.
  if (!end) throw new Failed('no close');
}

/** Returns how a socket ends; `undefined` if it does not end in time. */
async function endOf(t: CheckContext, socket: Socket): Promise<SocketEnd | undefined> {
  try {
    return await socket.closed();
  } catch (error) {
    if (error instanceof NetworkFault && !t.signal.aborted) return undefined;
    throw error;
  }
}

const NAME = 'sec-websocket-protocol';

async function expectPicked(
  t: CheckContext,
  offers: readonly string[],
  picked: string,
  protocol?: string,
): Promise<void> {
  const order = protocol === undefined ? {} : { protocol };
  const what = `offered ${offers.join(', ') || 'none'}`;
  const upgrade = await t.gateway.upgrade({ path: t.fixture.socket(order) }, offers);
  const { status, headers, socket } = upgrade;
  t.reach(status === 101, `the response to a handshake was ${status}`);
  const came = readAll(headers, NAME).join(', ');
  const message = `${what}: the caller must receive the subprotocol "${picked}" that the service selected, but received "${came}"`;
  t.expect(came === picked, message, upgrade);
  if (!socket) return;
  const hello = await readHello(t, socket);
  const arrived = readAll(hello.headers, NAME).join(',').replaceAll(' ', '');
  t.expect(
    arrived === offers.join(),
    `${what}: the service must receive the offered subprotocols unchanged, but received ${arrived}`,
  );
  socket.close();
  await socket.closed().catch(() => {});
}

const TEXTS = [
  'hello',
  '',
  ' {"a": 1}\r\n\0\t ',
  '\uFEFF中文 é 🙂',
  'a'.repeat(125),
  'b'.repeat(126),
  '0123456789abcdef'.repeat(4096),
  '中'.repeat(1000),
];

const TEXT_BURST = Array.from({ length: 200 }, (_, index) => String(index));

export const gatewayStreams: readonly Check[] = [
  defineCheck('GW-SSE', ['fixture'], async (t: CheckContext) => {
    for (const call of gatewayMethods) {
      for (const order of EVENT_ORDERS) {
        const own = 'headers' in call ? call.headers : {};
        const headers = { ...own, Accept: 'text/event-stream' };
        const path = t.fixture.events(order);
        const { received } = await t.gateway.call({ ...call, headers, path });
        const { status, mediaType } = received;
        const what = `${call.method} /events?count=${order.count}`;
        t.reach(status === 200, `the response to ${what} was ${status}`);
        t.expectEqual(`${what}: the content type`, mediaType, 'text/event-stream');
        const wanted = Array.from({ length: order.count }, (_, index) => String(index + 1));
        const ids = parseEvents(received.text).map(({ id, data }) => (isOf(data, id) ? id : '?'));
        const came = ids.join().slice(0, 200) || 'none';
        const message = `${what}: all events must arrive in order, but the IDs that arrived were ${came}`;
        t.expect(wanted.join() === ids.join(), message);
      }
    }
  }),
  defineCheck('GW-SSE-UNBUFFERED', ['fixture'], async (t) => {
    await Promise.all(gatewayMethods.map((call) => expectUnbuffered(t, call)));
  }),
  defineCheck('GW-WS-UPGRADE', ['fixture'], async (t: CheckContext) => {
    const calls: Record<string, [call: GatewayCall, offers: string[]]> = {
      'a handshake': [{}, []],
      'a handshake with a subprotocol': [{}, ['conformance']],
      'a handshake with Origin': [{ headers: { Origin: `http://${t.gateway.host}` } }, []],
      'a handshake with headers': [{ headers: { Cookie: 'a=1', 'X-Conformance': 'a' } }, []],
    };
    for (const [what, [call, offers]] of Object.entries(calls)) {
      const path = t.fixture.socket({ mark: t.uniqueName() });
      const upgrade = await t.gateway.upgrade({ ...call, path }, offers);
      const { status, breach, socket, refusal } = upgrade;
      t.reach(
        !refusal || !t.fixture.readEcho(refusal),
        'the path did not reach the fixture service',
      );
      if (status === 403 && 'Origin' in Object(call.headers)) {
        t.note(`${what} was rejected with 403, as RFC 6455, section 10.2, allows.`);
        continue;
      }
      t.expect(status === 101, `the response to ${what} must be 101, not ${status}`);
      // A choice of subprotocol that violates RFC 6455 is covered by GW-WS-SUBPROTOCOL.
      const isSubprotocol = breach?.includes('subprotocol') === true;
      t.expect(isSubprotocol || !breach, `the 101 response to ${what} must be valid: ${breach}`);
      socket?.close();
      await socket?.closed().catch(() => {});
    }
  }),
  defineCheck('GW-WS-TEXT', ['fixture'], (t) =>
    openSocket(t, {}, async (socket) => {
      await expectMessages(t, socket, 'sent back by the service', TEXTS);
      await expectMessages(t, socket, 'a burst sent back', TEXT_BURST);
      const order = [`!burst ${TEXT_BURST.length}`];
      await expectMessages(t, socket, 'a burst from the service', order, TEXT_BURST);
    }),
  ),
  defineCheck('GW-WS-BINARY', ['fixture'], (t) =>
    openSocket(t, {}, async (socket) => {
      await expectMessages(t, socket, 'sent back by the service', MESSAGES);
      await expectMessages(t, socket, 'a burst sent back', BINARY_BURST);
    }),
  ),
  defineCheck('GW-WS-SUBPROTOCOL', ['fixture'], async (t) => {
    // The fixture selects the last subprotocol offered, unless asked for another.
    await expectPicked(t, ['one'], 'one');
    await expectPicked(t, ['one', 'two', 'V3.conformance+x'], 'V3.conformance+x');
    await expectPicked(t, ['one', 'two', 'three'], 'two', 'two');
    await expectPicked(t, ['One', 'one'], 'One', 'One');
    await expectPicked(t, [], '');
  }),
  defineCheck('GW-WS-CLOSE', ['fixture'], async (t) => {
    for (const wanted of ENDS) {
      await openSocket(t, {}, async (socket) => {
        socket.send(`!close ${wanted.join(' ').trim()}`);
        expectEnd(
          t,
          'when the service closes the WebSocket, the caller',
          wanted,
          await endOf(t, socket),
        );
      });
    }
    for (const wanted of OF_CALLERS) {
      const mark = t.uniqueName();
      await openSocket(t, { mark }, async (socket) => {
        socket.close(...wanted);
        expectEnd(
          t,
          'when the caller closes the WebSocket, the service',
          wanted,
          await t.fixture.closed(mark),
        );
      });
    }
  }),
  defineCheck('GW-WS-AUTH', ['fixture'], async (t) => {
    await openSocket(t, {}, async () => {});
    const { otherEnvToken, expiredToken } = t.settings;
    const toBearer = (token?: string) => token && { Authorization: `Bearer ${token}` };
    const given = {
      'a token from another environment': toBearer(otherEnvToken),
      'an expired token': toBearer(expiredToken),
    };
    for (const [what, credentials] of Object.entries({ ...BAD, ...given })) {
      if (!credentials) continue;
      for (const offers of [[], ['conformance']]) {
        const mark = t.uniqueName();
        const call = { path: t.fixture.socket({ mark }), credentials };
        const upgrade = await t.gateway.upgrade(call, offers);
        const { status, refusal, socket } = upgrade;
        t.expect(status >= 400 && status < 500, `${what}: the status must be 4xx, not ${status}`);
        const evidence = refusal ?? upgrade;
        const isError = refusal !== undefined && hasErrorBody(refusal.received);
        t.expect(isError, `${what}: the response must have the gateway's error body`, evidence);
        socket?.close();
        const isCalled = (await t.fixture.count(mark)) > 0;
        t.expect(!isCalled, `${what}: the service must not be called, but it was`, evidence);
      }
    }
  }),
];
