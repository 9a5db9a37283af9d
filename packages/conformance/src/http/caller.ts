import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import type { Readable } from 'node:stream';
import { type Agents, toForwarded } from './agents.ts';
import {
  type Exchange,
  fromRawHeaders,
  type HeaderList,
  readAll,
  type Sent,
  toReceived,
} from './exchange.ts';

import { type Health, NetworkFault, Throttled, toNetworkFault } from './health.ts';

import type { Pace } from './pace.ts';
import { startTimer } from './start-timer.ts';

/** Larger than anything that the suite asks for, in bytes. */
const LARGEST_BODY = 33 * 2 ** 20;
/** Longest time for the body of an open call, in timeouts; a single part has one timeout. */
const LONGEST_BODY = 6;

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
  /** Sends the body bit by bit instead, with the length of `body` announced where it goes in no chunks. */
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
  health: Health;
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
 * Both methods throw a NetworkFault where no answer comes, and Throttled where nothing but 429 does.
 */
export function createCaller(options: CallerOptions): Caller {
  const { agents, pace, health, timeout, signal } = options;

  /** Makes one call: its answer from the head on, with `read` done within the timeout. */
  const make = async <Made>(
    request: Call,
    read: (response: IncomingMessage) => Promise<Made> | Made,
    ends = new AbortController(),
  ): Promise<{ sent: Sent; made: Made }> => {
    const what = `${request.method} ${request.origin}${request.target}`;
    const late = new NetworkFault(`${what}: no answer within ${timeout} ms`, 'TIMEOUT');
    const stop = startTimer(timeout, () => ends.abort(late));
    try {
      signal.throwIfAborted();
      health.assertAlive(request.origin);
      const sent = toSent(request);
      options.onSent?.(sent);
      const began = performance.now();
      const response = await send(request, sent, agents, AbortSignal.any([signal, ends.signal]));
      const made = await read(response);
      health.answered(request.origin, performance.now() - began);
      return { sent, made };
    } catch (error) {
      if (signal.aborted) throw new NetworkFault('the run was ended', 'ABORTED');
      const fault = ends.signal.aborted ? late : toNetworkFault(error as Error, what);
      // A body that the check itself breaks off says nothing about the target.
      if (!request.trickle) health.silent(request.origin);
      throw fault;
    } finally {
      stop();
    }
  };

  /** Repeats a call that is refused with 429 when the target wants it. */
  const repeat = async <Made>(
    request: Call,
    once: () => Promise<Made>,
    headOf: (made: Made) => { status: number; headers: HeaderList },
  ): Promise<Made> => {
    let notBefore: number | undefined = 0;
    for (let attempt = 0; ; attempt += 1) {
      await pace.ready(signal, notBefore).catch(() => {
        throw new NetworkFault('the run was ended', 'ABORTED');
      });
      const began = Date.now();
      const made = await once();
      const { status, headers } = headOf(made);
      if (status !== 429) pace.accepted();
      if (status !== 429 || request.keep429) return made;
      notBefore = pace.slowDown(readAll(headers, 'retry-after')[0], attempt, began);
      if (notBefore === undefined) {
        const what = `${request.method} ${request.origin}${request.target}`;
        throw new Throttled(`${what}: too many requests (429), again and again`);
      }
    }
  };

  return {
    call: (request) =>
      repeat(
        request,
        async () => {
          const { sent, made } = await make(request, async (response) => {
            const body = await readWhole(response);
            const headers = fromRawHeaders(response.rawHeaders);
            return toReceived(response.statusCode ?? 0, headers, body);
          });
          return { sent, received: made };
        },
        ({ received }) => received,
      ),
    open: (request) =>
      repeat(
        request,
        async () => {
          const ends = new AbortController();
          const { sent, made: response } = await make(request, (head) => head, ends);
          return {
            sent,
            status: response.statusCode ?? 0,
            headers: fromRawHeaders(response.rawHeaders),
            chunks: toChunks(response, `${request.method} ${sent.url}`, timeout),
            close: () => ends.abort(),
          };
        },
        (opened) => {
          if (opened.status === 429 && !request.keep429) opened.close();
          return opened;
        },
      ),
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
  const direct = {
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
  const { forwarder } = agents;
  const options = forwarder && !isTls ? toForwarded(direct, call.origin, forwarder) : direct;
  const make = options.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const request: ClientRequest = make(options);
    request.once('response', resolve).on('error', reject);
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

/** Whom a certificate has to name: the host of the URL, whatever `Host` says. Addresses are no names. */
export function toServerName(hostname: string): string {
  return isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? hostname : '';
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

/** Neither a silence nor the whole has more than its time, nor the body more than its size. */
async function* toChunks(
  response: IncomingMessage,
  what: string,
  timeout: number,
): AsyncGenerator<Buffer> {
  const giveUp = (message: string, code: string) =>
    response.destroy(new NetworkFault(`${what}: ${message}`, code));
  const isLate = () => giveUp(`nothing more within ${timeout} ms`, 'TIMEOUT');
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
