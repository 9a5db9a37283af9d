import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { type Agents, toServerName } from './agents.ts';
import {
  type Call,
  type Evidence,
  type Exchange,
  fromRawHeaders,
  type HeaderList,
  headOf,
  LARGEST_BODY,
  readAll,
  receive,
  type Sent,
} from './exchange.ts';
import { type Health, NetworkFault, Throttled, toNetworkFault } from './health.ts';
import { openWebSocket, type Upgrade } from './open-web-socket.ts';
import type { Pace } from './pace.ts';
import { startTimer } from './start-timer.ts';

/** Maximum time for the body of an open call, in timeouts; each chunk has one timeout. */
const LONGEST_BODY = 6;

/** A response whose body has not yet arrived. */
export interface OpenExchange {
  sent: Sent;
  status: number;
  headers: HeaderList;
  /** The body as it arrives; fails with a NetworkFault if it is cut off. */
  chunks: AsyncIterable<Buffer>;
  close(): void;
}

export interface CallerOptions {
  agents: Agents;
  pace: Pace;
  health: Health;
  /** How long to wait for a complete response, in milliseconds; for `open`, until its head. */
  timeout: number;
  signal: AbortSignal;
  onSent?: (sent: Sent) => void;
  onResponse?: (evidence: Evidence) => void;
}

/**
 * Makes raw HTTP calls: the target, the header list and `Host` are sent unchanged, redirects are not
 * followed, and nothing is decoded.
 *
 * Every method throws a NetworkFault if there is no response, and a Throttled if every attempt gets a 429.
 */
export class Caller {
  readonly #options: CallerOptions;

  constructor(options: CallerOptions) {
    this.#options = options;
  }

  call(call: Call): Promise<Exchange> {
    return this.#repeat(call, () =>
      this.#make(call, async (response, sent) => ({ sent, received: await receive(response) })),
    );
  }

  /** Makes a call and returns when the response head arrives. */
  open(call: Call): Promise<OpenExchange> {
    return this.#repeat(call, () => {
      const ends = new AbortController();
      const toOpen = (response: IncomingMessage, sent: Sent) => ({
        sent,
        status: response.statusCode ?? 0,
        headers: fromRawHeaders(response.rawHeaders),
        chunks: toChunks(response, `${call.method} ${sent.url}`, this.#options.timeout),
        close: () => ends.abort(),
      });
      return this.#make(call, toOpen, ends);
    });
  }

  /**
   * Opens a WebSocket.
   *
   * @param protocols subprotocols to offer
   */
  upgrade(call: Call, protocols: readonly string[]): Promise<Upgrade> {
    return this.#repeat(call, async () => {
      const upgrade = await openWebSocket(call, protocols, this.#options);
      this.#options.onSent?.(upgrade.sent);
      return upgrade;
    });
  }

  /** Retries a call that gets a 429, when the target allows it. */
  async #repeat<Made extends Evidence>(call: Call, once: () => Promise<Made>): Promise<Made> {
    const { pace, signal, onResponse } = this.#options;
    let notBefore: number | undefined = 0;
    for (let attempt = 0; ; attempt += 1) {
      await pace.ready(signal, notBefore).catch(() => {
        throw new NetworkFault('the run was aborted', 'ABORTED');
      });
      const began = Date.now();
      const made = await once();
      const { status, headers } = headOf(made);
      if (status !== 429) pace.accepted();
      if (status !== 429 || call.keep429) {
        onResponse?.(made);
        return made;
      }
      if ('close' in made) (made as unknown as OpenExchange).close();
      notBefore = pace.slowDown(readAll(headers, 'retry-after')[0], attempt, began);
      if (notBefore === undefined) {
        throw new Throttled(`${spell(call)}: every attempt got a 429 (Too Many Requests)`);
      }
    }
  }

  /** Makes one call: returns its response when the head arrives, with `read` done within the timeout. */
  async #make<Made>(
    call: Call,
    read: (response: IncomingMessage, sent: Sent) => Promise<Made> | Made,
    ends = new AbortController(),
  ): Promise<Made> {
    const { agents, health, timeout, signal, onSent } = this.#options;
    const stop = startTimer(timeout, () => ends.abort());
    try {
      signal.throwIfAborted();
      health.assertAlive(call.origin);
      const sent = toSent(call);
      onSent?.(sent);
      const began = performance.now();
      const response = await send(call, sent, agents, AbortSignal.any([signal, ends.signal]));
      const made = await read(response, sent);
      // A body without a length ends with its connection, even if the time limit is what closed it.
      ends.signal.throwIfAborted();
      health.responded(call.origin, performance.now() - began);
      return made;
    } catch (error) {
      if (signal.aborted) throw new NetworkFault('the run was aborted', 'ABORTED');
      // If the check itself aborts a body, that says nothing about the target.
      if (!call.trickle) health.silent(call.origin);
      if (!ends.signal.aborted) throw toNetworkFault(error as Error, spell(call));
      throw new NetworkFault(`${spell(call)}: no response within ${timeout} ms`, 'TIMEOUT');
    } finally {
      stop();
    }
  }
}

function spell({ method, origin, target }: Call): string {
  return `${method} ${origin}${target}`;
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
    servername: toServerName(hostname),
    method: call.method,
    path: call.target,
    headers: sent.headers.flat(),
    agent: isTls ? agents.https : agents.http,
    signal,
  };
  const make = isTls ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const request: ClientRequest = make(options);
    request.once('response', resolve).on('error', (error: NodeJS.ErrnoException) => {
      // The other side may close a kept connection at any time; the call did not arrive.
      const isClosed = request.reusedSocket && error.code === 'ECONNRESET';
      if (isClosed && !signal.aborted) send(call, sent, agents, signal).then(resolve, reject);
      else reject(error);
    });
    // A 101 to a call that requested no upgrade is a response like any other.
    request.once('upgrade', (response, socket) => {
      socket.destroy();
      resolve(response);
    });
    if (call.trickle === undefined) request.end(call.body);
    else {
      // Destroying the body closes the connection.
      call
        .trickle()
        .once('error', (error) => request.destroy(error))
        .pipe(request);
    }
  });
}

/** Delay between two pieces of a body, in milliseconds. */
const PAUSE = 20;

/** Sends each piece of a body separately, so that a target that stops after one read gets only the first. */
export function toTrickle(pieces: readonly Uint8Array[]): NonNullable<Call['trickle']> {
  return () => Readable.from(pauseBetween(pieces));
}

async function* pauseBetween(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    yield piece;
    await wait(PAUSE);
  }
}

/** Limits the time between chunks, the total time and the size of the body. */
async function* toChunks(
  response: IncomingMessage,
  what: string,
  timeout: number,
): AsyncGenerator<Buffer> {
  const giveUp = (message: string, code: string) =>
    response.destroy(new NetworkFault(`${what}: ${message}`, code));
  const isLate = () => giveUp(`no more data within ${timeout} ms`, 'TIMEOUT');
  const longest = timeout * LONGEST_BODY;
  const stopWhole = startTimer(longest, () => giveUp(`no end within ${longest} ms`, 'TIMEOUT'));
  let stopPart = startTimer(timeout, isLate);
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      stopPart();
      size += chunk.length;
      if (size > LARGEST_BODY) giveUp(`more than ${LARGEST_BODY} bytes`, 'TOO_LARGE');
      yield chunk;
      stopPart = startTimer(timeout, isLate);
    }
  } catch (error) {
    throw toNetworkFault(error as NodeJS.ErrnoException, what);
  } finally {
    stopPart();
    stopWhole();
  }
}
