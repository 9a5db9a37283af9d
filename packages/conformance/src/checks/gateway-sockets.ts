import { setTimeout as wait } from 'node:timers/promises';
import { type Check, type CheckContext, defineCheck } from '../context/check-context.ts';
import type { GatewayCall } from '../context/gateway-client.ts';
import { type Evidence, readAll } from '../http/exchange.ts';
import { NetworkFault } from '../http/faults.ts';
import type { Fragments, Message, Socket, SocketEnd } from '../http/open-web-socket.ts';
import { hasErrorBody } from '../invariants.ts';
import { Failed } from '../result.ts';
import { cite } from '../validation/cite.ts';
import { forgeTokens, signCall } from './support/credentials.ts';
import { openSocket, readHello } from './support/gateway.ts';

/** How a socket ends that was closed without a code, and how an unclosed one does (RFC 6455, section 7.1.5). */
const NO_CODE = 1005;
const CUT = 1006;

/** How long a WebSocket is quiet, in milliseconds: no gateway may cut it off so soon. */
const QUIET = 3000;

/**
 * Sends messages to the fixture service, which echoes them, and returns what was received. A final message
 * marks the end, so that a lost one causes no wait.
 */
async function exchangeMessages(
  t: CheckContext,
  socket: Socket,
  messages: readonly (string | Uint8Array | Fragments)[],
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
  messages: readonly (string | Buffer | Fragments)[],
  wanted = messages.map((message) =>
    typeof message === 'string' || Buffer.isBuffer(message) ? message : toMessage(message),
  ),
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

function toMessage({ parts, binary }: Fragments): string | Buffer {
  const whole = Buffer.concat(parts);
  return binary ? whole : whole.toString();
}

function show(data: Buffer): string {
  return `${data.length} bytes, ${JSON.stringify(data.subarray(0, 40).toString('latin1'))}`;
}

/** The service may speak first: its message must arrive before the caller has sent one. */
async function expectGreeting(t: CheckContext): Promise<void> {
  const greet = t.uniqueName();
  await openSocket(t, { greet }, async (socket, upgrade) => {
    const first = await soon(socket.next().catch(() => undefined));
    const came = first ? show(first.data) : 'nothing';
    const wanted = 'a message that the service sends before the caller must arrive first';
    const message = `${wanted}, but what arrived was ${came}`;
    t.expect(first?.data.toString() === greet, message, upgrade);
  });
}

/** A connection that breaks once proves nothing. */
const TURNS = 2;

async function expectOpen(t: CheckContext): Promise<void> {
  for (let turn = 1; turn <= TURNS; turn += 1) {
    const isOpen = await openSocket(t, {}, async (socket, upgrade) => {
      await expectMessages(t, socket, 'the first message', ['hello']);
      await wait(QUIET, undefined, { signal: t.signal });
      const message = `a WebSocket must stay open, but was closed within ${QUIET / 1000} s without messages`;
      if (socket.isOpen)
        await expectMessages(t, socket, 'a message after a while', ['still there']);
      else if (turn === TURNS) t.expect(false, message, upgrade);
      return socket.isOpen;
    });
    if (isOpen) return;
  }
}

/** How long to wait for what should be there already, in milliseconds, on a busy machine. */
const SOON = 10_000;

/** Returns what a promise resolves to, or `undefined` if that takes too long. */
function soon<Value>(promise: Promise<Value>): Promise<Value | undefined> {
  const ends = new AbortController();
  const late = wait(SOON, undefined, { signal: ends.signal }).catch(() => undefined);
  return Promise.race([promise, late]).finally(() => ends.abort());
}

async function expectPong(
  t: CheckContext,
  payload: string,
  pong: Promise<string>,
  evidence: Evidence,
): Promise<void> {
  const came = await soon(pong);
  const message = `a ping with the payload "${payload}" must get a pong with the same payload, but the payload of the pong was ${cite(came)}`;
  t.expect(came === payload, message, evidence);
  // Any other pong would be waited for just as long.
  if (came === undefined) throw new Failed('no pong');
}

const EVERY_BYTE = Buffer.from(Uint8Array.from({ length: 256 }, (_, index) => index));

const MESSAGES = [
  EVERY_BYTE,
  Buffer.alloc(0),
  Buffer.of(0),
  Buffer.from('a text, sent as binary'),
  Buffer.of(0xc3, 0x28, 0xff, 0xfe),
  Buffer.concat([Buffer.of(0), ...Array.from({ length: 256 }, () => EVERY_BYTE)]),
];

const BINARY_FRAGMENTS: Fragments = {
  parts: [Buffer.from('a text'), Buffer.of(0xff, 0), Buffer.alloc(0), Buffer.from('the end')],
  binary: true,
};

const BINARY_BURST = Array.from({ length: 100 }, (_, index) => Buffer.of(index, 0xff, index));

/** 1005 is a close without a code. */
const ENDS: [code: number, reason: string][] = [
  [1000, ''],
  [1000, 'done'],
  [1001, 'going away'],
  [1003, ''],
  [1005, ''],
  [1011, 'a failure in the service'],
  [1013, ''],
  [3000, 'x'.repeat(123)],
  [3999, ''],
  [4999, 'Grund: 中文 é'],
];

/** A caller must not send codes that are reserved for servers. */
const OF_CALLERS = ENDS.filter(([code]) => code === 1000 || code === 1005 || code >= 3000);

function expectEnd(
  t: CheckContext,
  who: string,
  [code, reason]: [number, string],
  end?: SocketEnd,
): void {
  const came = end ? `${end.code} and "${end.reason}"` : 'neither';
  const message = `${who} must receive the close code ${code} and the reason "${reason}", but received ${came}`;
  t.expect(end?.code === code && end.reason === reason, message);
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
  const unchanged = `${what}: the service must receive the offered subprotocols unchanged`;
  t.expect(arrived === offers.join(), `${unchanged}, but received ${arrived}`);
  socket.close();
  await socket.closed().catch(() => {});
}

type Credentials = NonNullable<GatewayCall['credentials']>;

/** Returns credentials that no gateway may accept for a handshake, keyed by description. */
function toBadCredentials(t: CheckContext, path: string): Record<string, Credentials> {
  const { otherEnvToken, expiredToken, gatewayToken, tc3 } = t.settings;
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
  // AU-REJECTED/1 covers the others.
  const forged = Object.entries(gatewayToken === undefined ? {} : forgeTokens(gatewayToken))
    .filter(([what]) => / changed | none$/.test(what))
    .map(([what, token]) => [what, bearer(token)]);
  const keys = { secretKey: `${tc3?.secretKey}x` };
  const signed = tc3 && signCall(t, { path, keys }).credentials;
  return {
    'no credentials': 'none',
    'a wrong token': bearer('wrong'),
    'an empty token': bearer(''),
    'credentials of an unknown scheme': { Authorization: 'Wrong wrong' },
    'half a signature': { Authorization: 'TC3-HMAC-SHA256 Credential=a' },
    ...(otherEnvToken && { 'a token from another environment': bearer(otherEnvToken) }),
    ...(expiredToken && { 'an expired token': bearer(expiredToken) }),
    ...Object.fromEntries(forged),
    ...(gatewayToken && {
      'a valid token sent with the Basic scheme': { Authorization: `Basic ${gatewayToken}` },
    }),
    ...(signed && { 'a signature made with another secret': signed }),
  };
}

/** A character ends in another fragment than it begins in (RFC 6455, section 5.4); one fragment is empty. */
const TEXT_FRAGMENTS: Fragments = {
  parts: cutUp('in fragments: 中文é', 15, 15, 18),
  binary: false,
};

function cutUp(text: string, ...ends: number[]): Buffer[] {
  const bytes = Buffer.from(text);
  return [0, ...ends].map((start, index) => bytes.subarray(start, ends[index]));
}

const TEXTS = [
  'hello',
  '',
  ' {"a": 1}\r\n\0\t ',
  '\uFEFF中文 é e\u0301 🙂',
  'a'.repeat(125),
  'b'.repeat(126),
  `0${'0123456789abcdef'.repeat(4096)}`,
  '中'.repeat(1000),
];

const TEXT_BURST = Array.from({ length: 200 }, (_, index) => String(index));

export const gatewaySockets: readonly Check[] = [
  defineCheck('GW-WS-UPGRADE', ['fixture', 'webSocket'], async (t: CheckContext) => {
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
      const isLost = refusal && t.fixture.readEcho(refusal);
      t.reach(!isLost, 'the path did not reach the fixture service');
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
  defineCheck(
    'GW-WS-MESSAGES/1',
    ['fixture', 'webSocket'],
    async (t) => {
      const ofOne = openSocket(t, {}, async (socket) => {
        await expectMessages(t, socket, 'sent back by the service', TEXTS);
        await expectMessages(t, socket, 'sent in fragments', [TEXT_FRAGMENTS]);
        await expectMessages(t, socket, 'a burst sent back', TEXT_BURST);
        const order = [`!burst ${TEXT_BURST.length}`];
        await expectMessages(t, socket, 'a burst from the service', order, TEXT_BURST);
      });
      await Promise.all([ofOne, expectOpen(t), expectGreeting(t)]);
    },
    { waits: true },
  ),
  defineCheck('GW-WS-MESSAGES/2', ['fixture', 'webSocket'], (t) =>
    openSocket(t, {}, async (socket) => {
      await expectMessages(t, socket, 'sent back by the service', MESSAGES);
      await expectMessages(t, socket, 'sent in fragments', [BINARY_FRAGMENTS]);
      await expectMessages(t, socket, 'a burst sent back', BINARY_BURST);
    }),
  ),
  defineCheck('GW-WS-PING', ['fixture', 'webSocket'], (t) =>
    openSocket(t, {}, async (socket, upgrade) => {
      for (const payload of ['conformance', '']) {
        const pong = socket.ping(payload);
        await exchangeMessages(t, socket, []);
        await expectPong(t, payload, pong, upgrade);
      }
      const [first, rest] = [Buffer.from('one '), Buffer.from('message')];
      socket.sendPart(first, false, false);
      const pong = socket.ping('between');
      socket.sendPart(rest, false, true);
      const [message] = await exchangeMessages(t, socket, []);
      const came = message?.data.toString() ?? 'nothing';
      const wanted = 'a message with a ping between its fragments must arrive as "one message"';
      t.expect(came === 'one message', `${wanted}, not as ${cite(came)}`, upgrade);
      await expectPong(t, 'between', pong, upgrade);
    }),
  ),
  defineCheck('GW-WS-SUBPROTOCOL', ['fixture', 'webSocket'], async (t) => {
    // The fixture selects the last subprotocol offered, unless asked for another.
    await expectPicked(t, ['one'], 'one');
    await expectPicked(t, ['one', 'two', 'V3.conformance+x'], 'V3.conformance+x');
    await expectPicked(t, ['one', 'two', 'three'], 'two', 'two');
    await expectPicked(t, ['One', 'one'], 'One', 'One');
    await expectPicked(t, [], '');
  }),
  defineCheck('GW-WS-CLOSE', ['fixture', 'webSocket'], async (t) => {
    for (const wanted of ENDS) {
      await openSocket(t, {}, async (socket) => {
        const order = wanted[0] === NO_CODE ? '!close' : `!close ${wanted.join(' ')}`;
        socket.send(order.trim());
        const end = await endOf(t, socket);
        expectEnd(t, 'when the service closes the WebSocket, the caller', wanted, end);
      });
    }
    for (const wanted of OF_CALLERS) {
      const mark = t.uniqueName();
      await openSocket(t, { mark }, async (socket) => {
        socket.close(...wanted);
        const end = await t.fixture.closed(mark);
        expectEnd(t, 'when the caller closes the WebSocket, the service', wanted, end);
      });
    }
  }),
  /** Handshakes are 'authenticated like any call' (D14). */
  defineCheck('GW-WS-AUTH', ['fixture', 'webSocket'], async (t) => {
    await openSocket(t, {}, async () => {});
    const mark = t.uniqueName();
    const path = t.fixture.socket({ mark });
    const ways = Object.entries(toBadCredentials(t, path));
    for (const [index, [what, credentials]] of ways.entries()) {
      const all = [[], ['conformance']];
      for (const offers of index < 2 ? all : [all[index % 2] ?? []]) {
        const upgrade = await t.gateway.upgrade({ path, credentials }, offers);
        const { status, refusal, socket } = upgrade;
        t.expect(status >= 400 && status < 500, `${what}: the status must be 4xx, not ${status}`);
        const isError = refusal !== undefined && hasErrorBody(refusal.received);
        const message = `${what}: the response must have the gateway's error body`;
        t.expect(isError, message, refusal ?? upgrade);
        socket?.close();
      }
    }
    const count = await t.fixture.count(mark);
    const called = `the service must not be called by rejected handshakes, but it was called ${count} times`;
    t.expect(count === 0, called);
  }),
];
