import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Readable } from 'node:stream';
import type { Agents } from './agents.ts';
import { type Exchange, type Sent, toReceived } from './exchange.ts';
import { fromRawHeaders, type HeaderList, readAll } from './header-list.ts';
import { NetworkFault, toNetworkFault } from './network-fault.ts';
import type { Pace } from './pace.ts';

/** A target that gives no answer this often in a row is not called again. */
const MOST_SILENT = 8;
const LARGEST_BODY = 64 * 2 ** 20;

/** A call before it is sent. */
export interface Call {
  method: string;
  /** `https://dev.gateway.example:8443` */
  origin: string;
  /** Path and query exactly as they go on the wire. */
  target: string;
  /** All headers but `Content-Length` and `Connection`; `Host` stands among them or comes from the origin. */
  headers: HeaderList;
  body: Buffer;
  /** Sends the body bit by bit instead, with the length of `body` announced. */
  trickle?: (() => Readable) | undefined;
  /** Take a 429 as the answer. Default: wait and call again. */
  keep429?: boolean | undefined;
}

/** An answer whose body is still to come. */
export interface OpenExchange {
  sent: Sent;
  status: number;
  headers: HeaderList;
  /** The body as it arrives; ends with a NetworkFault where it breaks off. */
  chunks: AsyncIterable<Buffer>;
  /** Gives the call up. */
  close(): void;
}

export interface Caller {
  /** Makes a call and reads the whole answer. */
  call(call: Call): Promise<Exchange>;
  /** Makes a call and returns when the head of the answer is there. */
  open(call: Call): Promise<OpenExchange>;
}

export interface CallerOptions {
  agents: Agents;
  pace: Pace;
  /** Longest wait for a whole answer, in milliseconds; of `open`, for its head. */
  timeout: number;
  /** Ends every call. */
  signal: AbortSignal;
  onSent?: (sent: Sent) => void;
}

/**
 * Makes raw HTTP calls: the target, the header list and `Host` go out as they are given, redirects are
 * answers like any other, nothing is decoded.
 *
 * Both methods throw a NetworkFault where no answer comes.
 */
export function createCaller({ agents, pace, timeout, signal, onSent }: CallerOptions): Caller {
  const silent = new Map<string, number>();

  const start = async (call: Call, ends: AbortSignal) => {
    const { origin } = call;
    const what = `${call.method} ${origin}${call.target}`;
    if ((silent.get(origin) ?? 0) >= MOST_SILENT) {
      throw new NetworkFault(`${origin} gave no answer ${MOST_SILENT} times in a row`, 'SILENT');
    }
    await pace.ready(ends);
    const sent = toSent(call);
    onSent?.(sent);
    try {
      const response = await send(call, sent, agents, ends);
      silent.delete(origin);
      return { sent, response, what };
    } catch (error) {
      if (!signal.aborted) silent.set(origin, (silent.get(origin) ?? 0) + 1);
      throw error;
    }
  };

  const call = async (request: Call, attempt = 0): Promise<Exchange> => {
    const timer = AbortSignal.timeout(timeout);
    const what = `${request.method} ${request.origin}${request.target}`;
    try {
      const { sent, response } = await start(request, AbortSignal.any([signal, timer]));
      const body = await readWhole(response);
      const headers = fromRawHeaders(response.rawHeaders);
      const received = toReceived(response.statusCode ?? 0, headers, body);
      if (received.status === 429 && !request.keep429 && !request.trickle) {
        if (pace.slowDown(received.header('retry-after'), attempt))
          return call(request, attempt + 1);
      }
      return { sent, received };
    } catch (error) {
      throw toFault(error, what, timer, timeout, signal);
    }
  };

  return {
    call: (request) => call(request),
    async open(request) {
      const head = new AbortController();
      const ends = new AbortController();
      const timer = setTimeout(() => head.abort(), timeout);
      const what = `${request.method} ${request.origin}${request.target}`;
      try {
        const all = AbortSignal.any([signal, head.signal, ends.signal]);
        const { sent, response } = await start(request, all);
        return {
          sent,
          status: response.statusCode ?? 0,
          headers: fromRawHeaders(response.rawHeaders),
          chunks: toChunks(response, what),
          close: () => ends.abort(),
        };
      } catch (error) {
        throw toFault(error, what, head.signal, timeout, signal);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

function toSent({ method, origin, target, headers, body, trickle }: Call): Sent {
  const named = (name: string) => readAll(headers, name).length > 0;
  const host: HeaderList = named('host') ? [] : [['Host', new URL(origin).host]];
  const sendsBody = body.length > 0 || trickle !== undefined || !['GET', 'HEAD'].includes(method);
  const hasLength = named('content-length') || named('transfer-encoding');
  const length: HeaderList =
    sendsBody && !hasLength ? [['Content-Length', String(body.length)]] : [];
  return { method, url: origin + target, headers: [...host, ...headers, ...length], body };
}

function send(
  call: Call,
  sent: Sent,
  agents: Agents,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { protocol, hostname, port } = new URL(call.origin);
  const isTls = protocol === 'https:';
  const options = {
    protocol,
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port,
    method: call.method,
    path: call.target,
    headers: sent.headers.flat(),
    agent: isTls ? agents.https : agents.http,
    signal,
  };
  return new Promise((resolve, reject) => {
    const request: ClientRequest = isTls ? requestHttps(options) : requestHttp(options);
    request.once('response', resolve).once('error', reject);
    // An answer of 101 to a call that asked for no upgrade is an answer like any other.
    request.once('upgrade', (response, socket) => {
      socket.destroy();
      resolve(response);
    });
    if (call.trickle === undefined) request.end(call.body);
    else {
      // A body that breaks off breaks the connection off.
      call
        .trickle()
        .once('error', (error) => request.destroy(error))
        .pipe(request);
    }
  });
}

async function readWhole(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LARGEST_BODY) {
      throw new NetworkFault(`the answer has more than ${LARGEST_BODY} bytes`, 'TOO_LARGE');
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function* toChunks(response: IncomingMessage, what: string): AsyncGenerator<Buffer> {
  try {
    yield* response as AsyncIterable<Buffer>;
  } catch (error) {
    throw toNetworkFault(error as NodeJS.ErrnoException, what);
  }
}

function toFault(
  error: unknown,
  what: string,
  timer: AbortSignal,
  timeout: number,
  signal: AbortSignal,
): Error {
  if (signal.aborted) return new NetworkFault('the run was ended', 'ABORTED');
  if (timer.aborted) return new NetworkFault(`${what}: no answer within ${timeout} ms`, 'TIMEOUT');
  return toNetworkFault(error as NodeJS.ErrnoException, what);
}
