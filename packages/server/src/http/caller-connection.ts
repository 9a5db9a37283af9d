import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A caller that sends fewer bytes of a body than this in `stalledSeconds` is too slow. */
const SLOW_BYTES = 1024;

/** Why a connection is ended: its body arrives slowly, or after the response, or the response is not read. */
type Stall = 'slow-body' | 'late-body' | 'unread-response';

/**
 * A connection from a caller. Node closes connections that are idle, or whose headers arrive slowly. This class finds
 * slow bodies and unread responses, for which Node's own limits do not work: `requestTimeout` limits the total time, and
 * would abort long uploads; the socket timeout would end idle streams, and a single byte now and then resets it.
 */
export class CallerConnection {
  readonly #socket: Socket;
  request: IncomingMessage | undefined;
  /** In the order of their requests, in which they also end. */
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

  /** Number of responses that had not ended when the last request arrived. */
  get openResponses(): number {
    return this.#responses.length;
  }

  /**
   * Returns whether a refusal can be sent without being mistaken for (a part of) the response to another request.
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

  /** Must be called several times per `limit`, which is in milliseconds. */
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
    const isSlow = bytesRead - bytes < SLOW_BYTES && !isReadingPaused(request);
    return isSlow ? 'slow-body' : undefined;
  }
}

/** Returns whether the body is slow only because this server is not reading it. */
function isReadingPaused(request: IncomingMessage): boolean {
  const isUntouched = request.readableFlowing === null && request.listenerCount('readable') === 0;
  return isUntouched || request.readableLength > 0;
}
