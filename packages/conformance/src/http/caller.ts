// Undici 8 treats an unexpected 100 as a broken response, and does not send `Transfer-Encoding` and `Upgrade` as set.
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import {
  type Agents,
  limitTime,
  NetworkError,
  ThrottledError,
  toNetworkError,
  toServerName,
} from './connection.ts';
import {
  type Call,
  type CallMaker,
  type Exchange,
  fromRawHeaders,
  readAll,
  readBody,
  receive,
  toReceived,
  toTarget,
} from './exchange.ts';
import { openWebSocket, type Upgrade } from './open-web-socket.ts';
import type { Pace } from './pace.ts';

/** Maximum time for the body of an open call, in timeouts. */
const MAX_TIMEOUTS = 6;

/** A call whose response has begun. The body of `received` is empty. */
export interface OpenExchange extends Exchange {
  /** The body as it arrives; fails with a NetworkError if it is cut off. */
  chunks: AsyncIterable<Buffer>;
  close(): void;
}

export interface CallerOptions {
  agents: Agents;
  pace: Pace;
  /** How long to wait for a complete response, in milliseconds; for `open`, until its head. */
  timeout: number;
  signal: AbortSignal;
  maker?: CallMaker;
  onSent: () => void;
  onExchange: (exchange: Exchange) => void;
}

/**
 * Makes raw HTTP calls: the target, the header list and `Host` are sent unchanged, redirects are not
 * followed, and nothing is decoded.
 *
 * Every method throws a NetworkError if there is no response, and a ThrottledError if every attempt gets a 429.
 */
export class Caller {
  readonly #options: CallerOptions;

  constructor(options: CallerOptions) {
    this.#options = options;
  }

  with(changed: Partial<CallerOptions>): Caller {
    return new Caller({ ...this.#options, ...changed });
  }

  async call(call: Call): Promise<Exchange> {
    const { sent, received, chunks } = await this.#repeat(call, () => this.#send(call));
    const { status, headers } = received;
    const exchange = { sent, received: await receive(status, headers, chunks) };
    this.#options.onExchange(exchange);
    return exchange;
  }

  /** Returns once the response has begun. Nothing observes it, because its body may never end. */
  open(call: Call): Promise<OpenExchange> {
    return this.#repeat(call, () => this.#send(call, MAX_TIMEOUTS * this.#options.timeout));
  }

  async upgrade(call: Call, protocols: readonly string[]): Promise<Upgrade> {
    const labeledCall = { ...call, ...this.#options.maker };
    const open = () => openWebSocket(labeledCall, protocols, this.#options);
    const { rejection, close: _, ...opened } = await this.#repeat(call, open);
    const upgrade = { ...opened, received: (await rejection) ?? opened.received };
    this.#options.onExchange(upgrade);
    return upgrade;
  }

  async #repeat<Made extends Exchange & Partial<OpenExchange>>(
    call: Call,
    make: () => Promise<Made>,
  ): Promise<Made> {
    const { pace, signal, onSent } = this.#options;
    const { origin } = new URL(call.url);
    let retryAt: number | undefined = 0;
    for (let attempt = 0; retryAt !== undefined; attempt += 1) {
      await pace.ready(origin, signal, retryAt);
      onSent();
      const made = await make().catch((error) => {
        // If the check itself aborts a body, that says nothing about the target.
        if (!call.stream) pace.recordNoResponse(origin);
        throw error;
      });
      const { status, headers } = made.received;
      if (status !== 429 || call.keep429) {
        pace.recordResponse(origin);
        return made;
      }
      made.close?.();
      retryAt = pace.slowDown(origin, readAll(headers, 'retry-after')[0], attempt);
    }
    throw new ThrottledError(`${describeCall(call)}: every attempt got a 429`);
  }

  /** Makes one call. Without a timeout for its body, the complete response must arrive within that of the caller. */
  async #send(call: Call, bodyTimeout?: number): Promise<OpenExchange> {
    const { agents, timeout, signal, maker } = this.#options;
    const sent = { ...withFraming(call), onOneConnection: agents.isOneConnection, ...maker };
    const what = describeCall(call);
    const controller = new AbortController();
    const signals = AbortSignal.any([signal, controller.signal]);
    const startTimer = (milliseconds: number) =>
      limitTime(milliseconds, () => {
        const message = `${what}: no response within ${milliseconds} ms`;
        controller.abort(new NetworkError(message, 'TIMEOUT'));
      });
    let stopTimer = startTimer(timeout);
    const close = () => {
      stopTimer();
      controller.abort();
    };
    const fail = (error: unknown): never => {
      const fault = signals.aborted ? signals.reason : error;
      close();
      throw toNetworkError(fault, what);
    };
    const response = await send(sent, agents, signals).catch(fail);
    if (bodyTimeout !== undefined) {
      stopTimer();
      stopTimer = startTimer(bodyTimeout);
    }
    async function* read(): AsyncGenerator<Buffer> {
      try {
        yield* readBody(response);
        // A body without a length ends with its connection, even if the time limit is what closed it.
        signals.throwIfAborted();
      } catch (error) {
        fail(error);
      } finally {
        stopTimer();
      }
    }
    const received = toReceived(response.statusCode ?? 0, fromRawHeaders(response.rawHeaders));
    return { sent, received, chunks: read(), close };
  }
}

/** Names a call without its query, which may be the signature of a link. */
const describeCall = ({ method, url }: Call) => `${method} ${url.split('?', 1)[0]}`;

function withFraming(call: Call): Call {
  const { method, url, headers, body, stream } = call;
  const has = (name: string) => readAll(headers, name).length > 0;
  const all = [...headers];
  if (!has('host')) all.unshift(['Host', new URL(url).host]);
  const sendsBody = body.length > 0 || stream !== undefined || !['GET', 'HEAD'].includes(method);
  if (sendsBody && !has('content-length') && !has('transfer-encoding')) {
    all.push(['Content-Length', String(body.length)]);
  }
  return { ...call, headers: all };
}

function send(call: Call, agents: Agents, signal: AbortSignal): Promise<IncomingMessage> {
  const { protocol, hostname, port } = new URL(call.url);
  const isTls = protocol === 'https:';
  const options = {
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port,
    servername: toServerName(hostname),
    method: call.method,
    path: toTarget(call.url),
    headers: call.headers.flat(),
    agent: isTls ? agents.https : agents.http,
    signal,
  };
  return new Promise((resolve, reject) => {
    const request = (isTls ? requestHttps : requestHttp)(options, resolve);
    request.on('error', (error: NodeJS.ErrnoException) => {
      // The other side may close a kept connection at any time; the call did not arrive.
      const isStale = request.reusedSocket && error.code === 'ECONNRESET' && !signal.aborted;
      if (isStale) send(call, agents, signal).then(resolve, reject);
      else reject(error);
    });
    // A 101 to a call that requested no upgrade is a response like any other.
    request.once('upgrade', (response, socket) => {
      socket.destroy();
      resolve(response);
    });
    if (call.stream === undefined) request.end(call.body);
    else {
      // Destroying the body closes the connection.
      const body = Readable.from(call.stream());
      body.once('error', (error) => request.destroy(error)).pipe(request);
    }
  });
}

/** Sends each piece of a body separately, so that a target that stops after one read gets only the first. */
export async function* pauseBetween(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    yield piece;
    await wait(20);
  }
}
