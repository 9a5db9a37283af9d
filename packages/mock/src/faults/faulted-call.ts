/** What faults do to a call, on the server and in MSW. Browsers import it, so it imports no Node modules. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** What faults can do to a call. `onNode` and `onFetch` implement it, so a kind works on the server and in MSW. */
export interface FaultedCall {
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal;
  /** Responds with an error of the surface. */
  fail(code: string): void;
  /** Closes the connection without a response. */
  reset(): void;
  /** Closes the connection if the body of the response exceeds a size. Its `Content-Length` stays. */
  truncate(maxBytes: number): void;
}

/**
 * Applies faults to a request of a server.
 *
 * @param response undefined for the upgrade to a WebSocket, which has no body
 * @param fail responds with an error
 */
export function onNode(
  { socket }: IncomingMessage,
  response: ServerResponse | undefined,
  fail: (code: string) => void,
): FaultedCall {
  const disconnected = new AbortController();
  (response ?? socket).once('close', () => disconnected.abort());
  return {
    signal: disconnected.signal,
    fail,
    reset: () => resetSocket(socket),
    truncate(maxBytes) {
      if (response !== undefined) truncateWrites(response, maxBytes);
    },
  };
}

export interface FaultedFetch {
  readonly call: FaultedCall;
  /** Returns the response, if a fault has ended the call. */
  early(): Response;
  /** Truncates the body of the response, if a fault asks for it. */
  finish(response: Response): Response;
}

/**
 * Applies faults to a Fetch request.
 *
 * @param toFailure creates the response that is an error
 */
export function onFetch({ signal }: Request, toFailure: (code: string) => Response): FaultedFetch {
  let early: Response | undefined;
  const sizes: number[] = [];
  const call: FaultedCall = {
    signal,
    fail(code) {
      early = toFailure(code);
    },
    reset() {
      early = Response.error();
    },
    truncate: (maxBytes) => sizes.push(maxBytes),
  };
  return {
    call,
    early: () => early ?? Response.error(),
    finish: (response) => sizes.reduce(truncateStream, response),
  };
}

function truncateStream(response: Response, maxBytes: number): Response {
  let left = maxBytes;
  const transform = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      controller.enqueue(chunk.subarray(0, left));
      left -= chunk.length;
      if (left < 0) controller.error(new TypeError('The connection was closed.'));
    },
  });
  const { status, headers, body } = response;
  return body === null ? response : new Response(body.pipeThrough(transform), { status, headers });
}

/** Ends a connection with a TCP reset (RFC 9293, section 3.10.7), which clients see as `ECONNRESET`. */
function resetSocket(socket: Duplex): void {
  if ('resetAndDestroy' in socket) (socket as Socket).resetAndDestroy();
  else socket.destroy();
}

function truncateWrites(response: ServerResponse, maxBytes: number): void {
  const write = response.write.bind(response);
  const end = response.end.bind(response);
  let left = maxBytes;
  response.write = ((data: Uint8Array | string, encoding?: BufferEncoding) => {
    if (left < 0) return false;
    const chunk = toBuffer(data, encoding);
    const start = chunk.subarray(0, left);
    left -= chunk.length;
    if (left >= 0) return write(chunk);
    // When this write completes, the head and everything before it have been sent.
    write(start, () => response.socket?.destroySoon());
    return false;
  }) as typeof response.write;
  response.end = ((data?: Uint8Array | string, encoding?: BufferEncoding) => {
    // Node discards the body of a response to HEAD.
    if (data === undefined || response.req.method === 'HEAD') return end();
    // Node does the same for a response that is written in one piece.
    if (!response.headersSent && !response.hasHeader('content-length')) {
      response.setHeader('content-length', toBuffer(data, encoding).length);
    }
    response.write(data, encoding as BufferEncoding);
    return left < 0 ? response : end();
  }) as typeof response.end;
}

function toBuffer(data: Uint8Array | string, encoding: BufferEncoding | undefined): Buffer {
  return typeof data === 'string' ? Buffer.from(data, encoding) : Buffer.from(data);
}
