import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A caller that sends fewer bytes of a body within the time of the watch is too slow. */
const SLOW_BYTES = 1024;

/** What a caller does for too long: it sends a body slowly, or after its response, or it reads nothing. */
type Stall = 'slow-body' | 'late-body' | 'unread-response';

/**
 * A connection from a caller. Node ends one that sends no request, no headers or nothing more. What it cannot see is
 * found here: a limit on the total time, such as `requestTimeout`, would abort long uploads; its socket timeout would
 * end idle streams, and a caller could reset it with a byte now and then.
 */
export class CallerConnection {
  readonly #socket: Socket;
  request: IncomingMessage | undefined;
  /** In the order of their requests, which is that in which they end. */
  readonly #responses: ServerResponse[] = [];
  /** The body that is arriving, and the bytes received at the last check. */
  #body: { readonly request: IncomingMessage; since: number; bytes: number } | undefined;
  #unreadSince: number | undefined;
  #taken = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** @param response undefined for an upgrade */
  receive(request: IncomingMessage, response: ServerResponse | undefined): void {
    while (this.#responses[0]?.writableFinished) this.#responses.shift();
    this.request = request;
    if (response !== undefined) this.#responses.push(response);
  }

  /** Number of responses that have not ended, or had not when the last request arrived. */
  get responses(): number {
    return this.#responses.length;
  }

  /**
   * Returns whether a refusal can be sent, and is not taken for the response to another request, or for a part of it.
   *
   * | What is refused          | Open responses      | Refusal                       |
   * | ------------------------ | ------------------- | ----------------------------- |
   * | a bad request            | none                | yes                           |
   * | the same, pipelined      | of earlier requests | no: they come first           |
   * | a body that is arriving  | its own             | yes: it is the response       |
   * | the same, pipelined      | of several requests | no: the others come first     |
   * | the same, late           | its own, begun      | no: it would be a part of it  |
   */
  mayRefuse(): boolean {
    const [first, second] = this.#responses.filter(({ writableFinished }) => !writableFinished);
    if (first === undefined) return true;
    const isArriving = this.request?.complete === false;
    return isArriving && second === undefined && !first.headersSent;
  }

  /**
   * Ends the responses whose turn has not come when the connection closes. Node forgets them after an upgrade, and
   * before version 24 always: their calls would never end.
   */
  close(): void {
    for (const response of this.#responses) {
      response.destroy();
      setImmediate(() => {
        if (!response.closed) response.emit('close');
      });
    }
  }

  /** Called several times within the limit. */
  findStall(now: number, limit: number): Stall | undefined {
    return this.#isUnread(now, limit) ? 'unread-response' : this.#findStalledBody(now, limit);
  }

  #isUnread(now: number, limit: number): boolean {
    const pending = this.#socket.writableLength;
    const taken = this.#socket.bytesWritten - pending;
    if (pending === 0 || taken !== this.#taken || this.#unreadSince === undefined) {
      this.#taken = taken;
      this.#unreadSince = now;
    }
    return now - this.#unreadSince >= limit;
  }

  #findStalledBody(now: number, limit: number): Stall | undefined {
    const { request } = this;
    if (request === undefined || request.complete || request.destroyed) {
      this.#body = undefined;
      return undefined;
    }
    const { bytesRead } = this.#socket;
    if (this.#body?.request !== request) this.#body = { request, since: now, bytes: bytesRead };
    const { since, bytes } = this.#body;
    if (now - since < limit) return undefined;
    this.#body = { request, since: now, bytes: bytesRead };
    if (this.#responses.at(-1)?.writableFinished) return 'late-body';
    const isSlow = bytesRead - bytes < SLOW_BYTES && !isHeldUp(request);
    return isSlow ? 'slow-body' : undefined;
  }
}

/** Returns whether this side has stopped reading: the caller cannot send more than is read. */
function isHeldUp(request: IncomingMessage): boolean {
  const isUntouched = request.readableFlowing === null && request.listenerCount('readable') === 0;
  return isUntouched || request.readableLength > 0;
}
