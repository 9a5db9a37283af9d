import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { GatewayError } from '@berth/server-stubs';
import { recordOf } from './call-record.ts';
import { findFramingError, type Refusals, sendRefusal, TOO_SLOW } from './refusal.ts';

/**
 * Maximum number of requests that a connection may have open. Node parses all requests of a chunk at once, whether their
 * responses can be sent or not: 64 KiB of short ones take 9 MB.
 */
const MAX_PIPELINED = 64;

/** A connection from a caller: accepts or refuses what arrives, and closes stalled connections. */
export class CallerConnection {
  readonly #socket: Socket;
  readonly #getRefusals: () => Refusals;
  readonly #stalls: ReturnType<typeof createStallDetector>;
  request: IncomingMessage | undefined;
  /** In the order of their requests, in which they also end. */
  readonly #responses: ServerResponse[] = [];

  /** @param stalledMilliseconds how long a body or a response may stall; `endIfStalled` must be called more often */
  constructor(socket: Socket, getRefusals: () => Refusals, stalledMilliseconds: number) {
    this.#socket = socket;
    this.#getRefusals = getRefusals;
    this.#stalls = createStallDetector(socket, stalledMilliseconds);
  }

  /**
   * Returns whether a request is to be served. Otherwise, it has been refused.
   * @param response undefined for an upgrade
   */
  accept(request: IncomingMessage, response?: ServerResponse): boolean {
    // An earlier request of the same chunk may have been refused.
    if (!this.#socket.writable) return false;
    const error = findFramingError(request);
    if (error !== undefined) {
      if (this.#findOpen().length === 0)
        sendRefusal(this.#socket, error, this.#getRefusals(), request);
      else this.abort();
      return false;
    }
    while (this.#responses[0]?.writableFinished) this.#responses.shift();
    this.request = request;
    // After an upgrade, Node no longer reads HTTP, and would not notice the end of an earlier call.
    const isBlocked = response === undefined && this.#responses.length > 0;
    if (response !== undefined) this.#responses.push(response);
    if (!isBlocked && this.#responses.length <= MAX_PIPELINED) return true;
    this.abort();
    return false;
  }

  /**
   * Refuses what is arriving: a request that cannot be parsed, or the body of the last one. The connection is only
   * closed if the refusal could be mistaken for (a part of) the response to another request.
   *
   * | What is refused                    | Open responses      | Refusal                       |
   * | ---------------------------------- | ------------------- | ----------------------------- |
   * | a bad request                      | none                | yes                           |
   * | a connection without any bytes     | none                | no: its first request may be  |
   * |                                    |                     | on its way (see below)        |
   * | the same, pipelined                | of earlier requests | no: they come first           |
   * | a body that is arriving            | its own             | yes: it is the response       |
   * | the same, pipelined                | of several requests | no: the others come first     |
   * | a body, after its response began   | its own             | no: it would be a part of it  |
   * | a body, after its response ended   | none                | no: it would be a second one  |
   *
   * Browsers and some clients connect in advance, and would take the 408 for the response to their first request.
   */
  refuse(error: GatewayError): void {
    const { request } = this;
    const [current, other] = this.#findOpen();
    const isBody = request?.complete === false;
    const isResponse = isBody && current && other === undefined && !current.headersSent;
    const { writable, bytesRead } = this.#socket;
    const isBadRequest = !isBody && current === undefined && bytesRead > 0;
    if (!writable || !(isResponse || isBadRequest)) this.abort();
    else sendRefusal(this.#socket, error, this.#getRefusals(), isBody ? request : undefined);
  }

  #findOpen(): readonly ServerResponse[] {
    return this.#responses.filter(({ writableFinished }) => !writableFinished);
  }

  /** Closes the connection. Its calls end without a response, or with a part of it. */
  abort(): void {
    // The caller may have reset the connection.
    if (this.#socket.destroyed) return;
    for (const { req } of this.#findOpen()) recordOf(req).settle('aborted');
    // An upgrade has no response.
    if (this.request !== undefined) recordOf(this.request).settle('aborted');
    this.#socket.destroy();
  }

  /**
   * Ends pipelined responses that were still waiting when the connection closed. Node does not end them after an
   * upgrade, and before version 24 never: their calls would stay active.
   */
  close(): void {
    for (const response of this.#responses) {
      response.destroy();
      setImmediate(() => {
        if (!response.closed) response.emit('close');
      });
    }
  }

  endIfStalled(now: number): void {
    if (this.#stalls.isUnread(now)) this.abort();
    else if (this.#stalls.isBodySlow(now, this.request, this.#responses.at(-1)))
      this.refuse(TOO_SLOW);
  }
}

/** A caller that sends fewer bytes of a body than this in `stalledSeconds` is too slow. */
const SLOW_BYTES = 1024;

/**
 * Finds slow bodies and unread responses. Node closes connections that are idle, or whose headers arrive slowly, but its
 * other limits do not work: `requestTimeout` limits the total time, and would abort long uploads; the socket timeout
 * would end idle streams, and a single byte resets it.
 */
function createStallDetector(socket: Socket, maxMilliseconds: number) {
  /** The body that is arriving, and the bytes received at the last check. */
  let body: { readonly request: IncomingMessage; since: number; bytes: number } | undefined;
  let unreadSince: number | undefined;
  let bytesSent = 0;
  return {
    isUnread(now: number): boolean {
      const pending = socket.writableLength;
      const sent = socket.bytesWritten - pending;
      if (pending === 0 || sent !== bytesSent || unreadSince === undefined) {
        bytesSent = sent;
        unreadSince = now;
      }
      return now - unreadSince >= maxMilliseconds;
    },
    /** Returns whether a body arrives too slowly, or continues after the response. */
    isBodySlow(now: number, request?: IncomingMessage, response?: ServerResponse): boolean {
      if (request === undefined || request.complete || request.destroyed) {
        body = undefined;
        return false;
      }
      const { bytesRead } = socket;
      const isLate = response?.writableFinished === true;
      const isPaused = !isLate && isReadingPaused(request);
      // Once this server reads again, the caller needs time to send more.
      if (body?.request !== request || isPaused) body = { request, since: now, bytes: bytesRead };
      const { since, bytes } = body;
      if (now - since < maxMilliseconds) return false;
      body = { request, since: now, bytes: bytesRead };
      return isLate || bytesRead - bytes < SLOW_BYTES;
    },
  };
}

/** Returns whether the caller cannot send more, because this server is not reading. */
function isReadingPaused(request: IncomingMessage): boolean {
  const isUntouched = request.readableFlowing === null && request.listenerCount('readable') === 0;
  return isUntouched || request.readableLength > 0;
}
