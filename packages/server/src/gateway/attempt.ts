import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import { GatewayError, type ServiceResponse } from '@berth/server-stubs';
import type { Dispatcher } from 'undici';
import { gone, ServiceBody } from './service-body.ts';
import type { Connection, Upstream } from './upstream.ts';

/** Maximum bytes to buffer before the response to the caller begins. */
const HELD_BYTES = 64 * 1024;

/** The reason why there is no response from a service. */
export interface Failure {
  readonly error: Error;
  /** Whether the service may have seen anything of the call. */
  readonly wasSent: boolean;
  /** Whether it began to respond. */
  readonly hasResponse: boolean;
}

/** Returns whether the HTTP client, which validates requests again, refused to send this one. */
export function isRefusedInput(error: Error): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED';
}

/** A call that is ready to be sent to any endpoint of a version. */
export interface ReadyCall {
  readonly target: string;
  readonly method: string;
  /** Alternating names and values. */
  readonly headers: readonly string[];
  readonly body: Readable | Buffer | null;
  /** The protocol to upgrade to, if the call requests one. */
  readonly upgrade: string | undefined;
  /** Aborts the call. */
  readonly response: ServerResponse;
  /** How long the service may take to send its response headers. */
  readonly headersMilliseconds: number;
}

/** The outcome of an attempt if the service switched protocols as requested. */
export interface Switched {
  readonly status: 101;
  readonly headers: IncomingHttpHeaders;
  readonly socket: Duplex;
}

/** The outcome of an attempt before the response is forwarded. */
export type Outcome = ServiceResponse | Switched | Failure;

/** Makes one attempt to call an endpoint. */
export function attempt(
  call: ReadyCall,
  upstream: Upstream,
  connection: Connection,
): Promise<Outcome> {
  return new Promise((settle) => new Attempt(call, upstream, connection, settle).begin());
}

/**
 * One attempt to call a service over one connection. It is itself the handler that the HTTP client calls for
 * each event, with nothing else between the two sockets. A small response is read completely before the head
 * is written to the caller, so that it is sent in one piece.
 */
class Attempt implements Dispatcher.DispatchHandler {
  readonly #call: ReadyCall;
  readonly #upstream: Upstream;
  readonly #connection: Connection;
  readonly #settle: (outcome: Outcome) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #timer: NodeJS.Timeout | undefined;
  #response: ServerResponse | undefined;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #wasSent = false;
  #hasResponse = false;
  #hasSettled = false;
  #isOver = false;
  #error: Error | undefined;

  constructor(
    call: ReadyCall,
    upstream: Upstream,
    connection: Connection,
    settle: (outcome: Outcome) => void,
  ) {
    this.#call = call;
    this.#upstream = upstream;
    this.#connection = connection;
    this.#settle = settle;
  }

  begin(): void {
    const { target: path, method, headers, body, upgrade, response } = this.#call;
    this.#upstream.outstanding += 1;
    if (response.destroyed) {
      this.#leave();
      return;
    }
    response.on('close', this.#leave);
    const expire = () => this.#abort(new GatewayError('SERVICE_TIMEOUT'));
    const timer = setTimeout(expire, this.#call.headersMilliseconds).unref();
    this.#timer = timer;
    if (body instanceof ServiceBody) body.onProgress = () => timer.refresh();
    const request = { path, method, headers, body, upgrade };
    this.#connection.dispatch(request as never, this);
  }

  /** Ends the attempt because no one is waiting for its response any more. */
  readonly #leave = (): void => {
    if (this.#isOver) return;
    this.#abort(gone());
  };

  #abort(error: Error): void {
    if (this.#isOver) return;
    this.#error = error;
    this.#connection.destroy(error);
    // The client reports nothing for a call that it has not started.
    this.onResponseError(undefined, error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#wasSent = true;
  }

  /** Called with the first byte of the response. The client calls it, but its types do not declare it. */
  onResponseStarted(): void {
    this.#hasResponse = true;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    // Interim responses are not forwarded; an unrequested 101 is not a response.
    if (status === 101)
      controller.abort(new Error('The service switched protocols, but no switch was requested.'));
    else if (status >= 200) this.#conclude({ status, headers, body: this.#write });
  }

  onRequestUpgrade(
    _controller: Dispatcher.DispatchController,
    _status: number,
    headers: IncomingHttpHeaders,
    socket: Duplex,
  ): void {
    this.#isOver = true;
    socket.once('close', () => {
      this.#upstream.outstanding -= 1;
    });
    this.#conclude({ status: 101, headers, socket });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#response !== undefined) {
      if (!this.#response.write(chunk)) controller.pause();
      return;
    }
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    if (this.#heldBytes >= HELD_BYTES) controller.pause();
  }

  onResponseEnd(): void {
    this.#isOver = true;
    this.#upstream.giveBack(this.#connection);
    this.#upstream.outstanding -= 1;
    this.#response?.end();
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#connection.destroy();
    this.#fail(error);
    this.#upstream.outstanding -= 1;
  }

  #fail(error: Error): void {
    this.#error ??= error;
    // This is HTTP's only way to signal a truncated response.
    this.#response?.destroy();
    if (this.#hasSettled) return;
    this.#call.response.off('close', this.#leave);
    clearTimeout(this.#timer);
    const [wasSent, hasResponse] = [this.#wasSent, this.#hasResponse];
    this.#settle({ error: this.#error, wasSent, hasResponse });
  }

  #conclude(outcome: ServiceResponse | Switched): void {
    this.#hasSettled = true;
    clearTimeout(this.#timer);
    this.#settle(outcome);
  }

  /** Writes the body to the caller with backpressure: what has already arrived, and what follows. */
  readonly #write = (response: ServerResponse): void => {
    this.#response = response;
    const held = this.#held;
    this.#held = [];
    if (this.#error !== undefined) {
      response.destroy();
      return;
    }
    if (this.#isOver) {
      const last = held.pop();
      for (const chunk of held) response.write(chunk);
      // Node sends a head and a string in one piece, in half the time of a head and a buffer.
      response.end(last?.toString('latin1'), 'latin1');
      return;
    }
    response.on('drain', () => this.#controller?.resume());
    // Unlike `flushHeaders`, which writes UTF-8, this leaves the bytes of the headers unchanged.
    let isFull = held.length === 0 && !response.write('', 'latin1');
    for (const chunk of held) isFull = !response.write(chunk);
    if (!isFull) this.#controller?.resume();
  };
}
