import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import WebSocket from 'ws';
import type { Agents } from './agents.ts';
import { type Call, toServerName } from './caller.ts';
import {
  type Exchange,
  fromRawHeaders,
  type HeaderList,
  readAll,
  type Sent,
  toReceived,
} from './exchange.ts';

import { NetworkFault, toNetworkFault } from './health.ts';
import { startTimer } from './start-timer.ts';

/** Larger than any message or refusal that the suite asks for, in bytes. */
const LARGEST = 33 * 2 ** 20;
/** More messages than the suite ever asks for; a socket with more that nobody has taken is ended. */
const MOST_WAITING = 20_000;

/** Longest wait for the other side to close what this side has closed, in milliseconds. */
const LONGEST_GOODBYE = 3000;

/** What became of a WebSocket handshake: exactly one of `socket`, `refusal` and `breach` is there. */
export interface Upgrade {
  sent: Sent;
  /** Status and headers of the answer, 101 or not. */
  status: number;
  headers: HeaderList;
  socket?: Socket;
  /** The whole answer where it was no 101. */
  refusal?: Exchange;
  /** Why a 101 opened no WebSocket: how its headers break RFC 6455. */
  breach?: string;
}

export interface Message {
  binary: boolean;
  data: Buffer;
}

/** An open WebSocket. */
export interface Socket {
  /** The subprotocol that was chosen; empty without one. */
  readonly protocol: string;
  send(data: string | Uint8Array): void;
  /** The next message, also one that has come already. Throws a NetworkFault where none comes in time. */
  next(): Promise<Message>;
  /** Closes with a code and reason. */
  close(code?: number, reason?: string): void;
  /** How the socket ended. Throws a NetworkFault where it does not end in time. */
  closed(): Promise<{ code: number; reason: string }>;
}

/**
 * Makes a WebSocket handshake.
 *
 * @param timeout longest wait for the answer, for a message and for the end, in milliseconds
 * @throws NetworkFault where no answer comes
 */
export async function openWebSocket(
  call: Call,
  protocols: readonly string[],
  agents: Agents,
  timeout: number,
  signal: AbortSignal,
): Promise<Upgrade> {
  const url = call.origin.replace(/^http/, 'ws') + call.target;
  const what = `upgrade of ${url}`;
  // Both `servername` and lists of values reach Node's request, though the types of ws lack them.
  const passedOn: object = {
    headers: toRecord(call.headers),
    servername: toServerName(new URL(call.origin).hostname),
  };
  const client = new WebSocket(url, [...protocols], {
    ...passedOn,
    agent: url.startsWith('wss:') ? agents.https : agents.http,
    followRedirects: false,
    perMessageDeflate: false,
    maxPayload: LARGEST,
    finishRequest(request) {
      // The target as it was signed: ws parses the URL, which makes `%27` of `'`.
      request.path = call.target;
      request.end();
    },
  });
  const offered: HeaderList =
    protocols.length === 0 ? [] : [['Sec-WebSocket-Protocol', protocols.join(', ')]];
  const upgraded: HeaderList = [['Connection', 'Upgrade'], ['Upgrade', 'websocket'], ...offered];
  const sent: Sent = {
    method: 'GET',
    url: call.origin + call.target,
    headers: [...call.headers, ...upgraded],
    body: Buffer.alloc(0),
  };
  const end = () => client.terminate();
  let isLate = false;
  const stop = startTimer(timeout, () => {
    isLate = true;
    end();
  });
  client.once('open', stop).once('unexpected-response', stop).once('close', stop);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  client.once('close', () => signal.removeEventListener('abort', end));
  const inbox = createInbox(client, timeout, what);

  return new Promise((resolve, reject) => {
    let head: IncomingMessage | undefined;
    client.once('upgrade', (response: IncomingMessage) => {
      head = response;
    });
    client.once('open', () => {
      const headers = fromRawHeaders(head?.rawHeaders ?? []);
      resolve({ sent, status: 101, headers, socket: toSocket(client, inbox, timeout, what) });
    });
    client.once('unexpected-response', async (request, response) => {
      try {
        const body = await readBody(response, timeout);
        const headers = fromRawHeaders(response.rawHeaders);
        const received = toReceived(response.statusCode ?? 0, headers, body);
        resolve({ sent, status: received.status, headers, refusal: { sent, received } });
      } catch (error) {
        reject(toNetworkFault(error as NodeJS.ErrnoException, what));
      } finally {
        request.destroy();
      }
    });
    client.on('error', (error) => {
      const late = new NetworkFault(`${what}: no answer within ${timeout} ms`, 'TIMEOUT');
      if (head === undefined) return reject(isLate ? late : toNetworkFault(error, what));
      const headers = fromRawHeaders(head.rawHeaders);
      resolve({ sent, status: 101, headers, breach: error.message });
    });
  });
}

interface Inbox {
  messages: Message[];
  end?: { code: number; reason: string };
}

function createInbox(client: WebSocket, timeout: number, what: string): () => Promise<Message> {
  const inbox: Inbox = { messages: [] };
  client.on('message', (data: Buffer, binary) => {
    inbox.messages.push({ binary, data: Buffer.from(data) });
    client.emit('berth:message');
    if (inbox.messages.length > MOST_WAITING) client.terminate();
  });
  return async () => {
    if (inbox.messages.length === 0 && client.readyState === WebSocket.OPEN) {
      const ends = new AbortController();
      const stop = startTimer(timeout, () => ends.abort());
      await Promise.race([
        once(client, 'berth:message', { signal: ends.signal }),
        once(client, 'close', { signal: ends.signal }),
      ]).catch(() => {});
      stop();
      // The other of the two is waited for no more.
      ends.abort();
    }
    const message = inbox.messages.shift();
    if (message) return message;
    if (client.readyState !== WebSocket.OPEN) {
      throw new NetworkFault(`${what}: it ended before the next message`, 'ENDED');
    }
    throw new NetworkFault(`${what}: no message within ${timeout} ms`, 'TIMEOUT');
  };
}

function toSocket(
  client: WebSocket,
  next: () => Promise<Message>,
  timeout: number,
  what: string,
): Socket {
  const ended = new Promise<{ code: number; reason: string }>((resolve) => {
    client.once('close', (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  return {
    protocol: client.protocol,
    send: (data) => client.send(data),
    next,
    close: (code = 1000, reason = '') => client.close(code, reason),
    async closed() {
      const isOurs = client.readyState === WebSocket.CLOSING;
      const longest = isOurs ? Math.min(timeout, LONGEST_GOODBYE) : timeout;
      const fault = new NetworkFault(`${what}: not closed within ${longest} ms`, 'TIMEOUT');
      let stop = () => {};
      const late = new Promise<never>((_, reject) => {
        stop = startTimer(longest, () => reject(fault));
      });
      try {
        return await Promise.race([ended, late]);
      } finally {
        stop();
        client.terminate();
      }
    },
  };
}

function toRecord(headers: HeaderList): Record<string, string | string[]> {
  const names = [...new Set(headers.map(([name]) => name))];
  return Object.fromEntries(
    names.map((name) => {
      const values = readAll(headers, name);
      return [name, values.length === 1 ? (values[0] ?? '') : values];
    }),
  );
}

async function readBody(response: IncomingMessage, timeout: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  const late = new NetworkFault(`no whole answer within ${timeout} ms`, 'TIMEOUT');
  const stop = startTimer(timeout, () => response.destroy(late));
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > LARGEST) throw new NetworkFault(`more than ${LARGEST} bytes`, 'TOO_LARGE');
      chunks.push(chunk);
    }
  } finally {
    stop();
  }
  return Buffer.concat(chunks);
}
