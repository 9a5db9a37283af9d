import { addAbortListener, on } from 'node:events';
import type { IncomingMessage } from 'node:http';
import WebSocket from 'ws';
import { type Agents, NetworkError, toNetworkError, toServerName, within } from './connection.ts';
import {
  type Call,
  type Exchange,
  fromRawHeaders,
  MAX_BODY,
  type Received,
  readBody,
  receive,
  toHeaderList,
  toHeaderRecord,
  toReceived,
  toTarget,
} from './exchange.ts';

/** How long to wait for the other side to close after this side did, in milliseconds. */
const CLOSE_TIMEOUT = 3000;
/** The code of a WebSocket that was closed without one (RFC 6455, section 7.1.5). */
export const NO_CODE = 1005;
/** Maximum number of unread messages; with more, the connection is paused. */
const MAX_UNREAD = 20_000;

export interface Upgrade extends Exchange {
  /** Absent unless the response is a valid 101. */
  socket?: Socket;
  /** Why a 101 opened no WebSocket: how its headers violate RFC 6455. */
  violation?: string;
}

/** A handshake whose response has begun. */
interface Handshake extends Upgrade {
  /** The response with its body, if the handshake was rejected. */
  rejection?: Promise<Received>;
  close(): void;
}

export interface Message {
  binary: boolean;
  data: Buffer;
}

export interface SocketEnd {
  code: number;
  reason: string;
}

/** A ping that was sent. */
export interface Ping {
  payload: string;
  /** Stays pending until a pong has the payload of the ping: others may be heartbeats (RFC 6455, section 5.5.3). */
  answered: Promise<void>;
  /** The payload of the pong for it or, so far, of the last other one. */
  actual?: string;
}

export async function openWebSocket(
  call: Call,
  protocols: readonly string[],
  { agents, timeout, signal }: { agents: Agents; timeout: number; signal: AbortSignal },
): Promise<Handshake> {
  const url = call.url.replace(/^http/, 'ws');
  const what = `upgrade of ${url.split('?', 1)[0]}`;
  // Both `servername` and lists of values reach Node's request, although the types of ws lack them.
  const untyped: object = {
    headers: toHeaderRecord(call.headers),
    servername: toServerName(new URL(url).hostname),
  };
  let key = '';
  const client = new WebSocket(url, [...protocols], {
    ...untyped,
    agent: url.startsWith('wss:') ? agents.https : agents.http,
    followRedirects: false,
    perMessageDeflate: false,
    maxPayload: MAX_BODY,
    finishRequest(request) {
      // The target as it was signed: ws parses the URL, which turns `'` into `%27`.
      request.path = toTarget(url);
      key = String(request.getHeader('Sec-WebSocket-Key'));
      request.end();
    },
  });
  const abort = addAbortListener(signal, () => client.terminate());
  client.once('close', () => abort[Symbol.dispose]());
  const socket = new Socket(client, timeout, what);
  const upgrade = toHeaderList({
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': key,
    'Sec-WebSocket-Protocol': protocols.length > 0 ? protocols.join(', ') : [],
  });
  const sent = { ...call, headers: [...call.headers, ...upgrade] };
  const late = new NetworkError(`${what}: no response within ${timeout} ms`, 'TIMEOUT');
  const close = () => client.terminate();
  const outcome = new Promise<Handshake>((resolve, reject) => {
    let accepted: Handshake | undefined;
    client.once('upgrade', ({ rawHeaders }: IncomingMessage) => {
      accepted = { sent, received: toReceived(101, fromRawHeaders(rawHeaders)), close };
    });
    client.once('open', () => accepted && resolve({ ...accepted, socket }));
    client.once('unexpected-response', (_, response) => {
      const { statusCode: status = 0 } = response;
      const headers = fromRawHeaders(response.rawHeaders);
      const complete = receive(status, headers, readBody(response));
      const rejection = within(timeout, complete, late).finally(close);
      // Nobody may be waiting for it.
      rejection.catch(() => {});
      resolve({ sent, received: toReceived(status, headers), rejection, close });
    });
    client.on('error', (error) => {
      if (accepted === undefined) reject(toNetworkError(error, what));
      else resolve({ ...accepted, violation: error.message });
    });
  });
  return within(timeout, outcome, late).catch((error) => {
    close();
    throw error;
  });
}

/** An open WebSocket. Each wait ends with a NetworkError after the timeout. */
export class Socket {
  readonly #client: WebSocket;
  readonly #timeout: number;
  readonly #what: string;
  readonly #messages: AsyncIterator<[data: Buffer, binary: boolean]>;
  readonly #ended: Promise<SocketEnd>;

  constructor(client: WebSocket, timeout: number, what: string) {
    this.#client = client;
    this.#timeout = timeout;
    this.#what = what;
    const limits = { close: ['close'], highWaterMark: MAX_UNREAD };
    this.#messages = on(client, 'message', limits) as AsyncIterator<[Buffer, boolean]>;
    this.#ended = new Promise((resolve) => {
      client.once('close', (code, reason) => resolve({ code, reason: reason.toString() }));
    });
  }

  /** Sends a message, or one fragment of it (RFC 6455, section 5.4). */
  send(data: string | Uint8Array, { binary = false, fin = true } = {}): void {
    this.#client.send(data, { binary, fin });
  }

  ping(payload: string): Ping {
    const { promise: answered, resolve } = Promise.withResolvers<void>();
    const ping: Ping = { payload, answered };
    this.#client.on('pong', (data) => {
      if (ping.actual === payload) return;
      ping.actual = data.toString();
      if (ping.actual === payload) resolve();
    });
    this.#client.ping(payload);
    return ping;
  }

  async next(): Promise<Message> {
    const late = new NetworkError(`${this.#what}: no message in time`, 'TIMEOUT');
    const next = this.#messages.next().catch(() => ({ value: undefined }));
    const { value } = await within(this.#timeout, next, late);
    if (value) return { data: value[0], binary: value[1] };
    throw new NetworkError(`${this.#what}: closed before the next message`, 'ENDED');
  }

  get isOpen(): boolean {
    return this.#client.readyState === WebSocket.OPEN;
  }

  /** Closes with a code and reason; with 1005, without either. */
  close(code = 1000, reason = ''): void {
    if (code === NO_CODE) this.#client.close();
    else this.#client.close(code, reason);
  }

  async closed(): Promise<SocketEnd> {
    const isOurs = this.#client.readyState === WebSocket.CLOSING;
    const maxCloseMs = isOurs ? Math.min(this.#timeout, CLOSE_TIMEOUT) : this.#timeout;
    const late = new NetworkError(`${this.#what}: not closed within ${maxCloseMs} ms`, 'TIMEOUT');
    return within(maxCloseMs, this.#ended, late).finally(() => this.#client.terminate());
  }
}
