import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import { type EndAnswer, GatewayError, type ServiceAnswer } from '@berth/server-stubs';
import type { Dispatcher } from 'undici';
import { ServiceBody } from './service-body.ts';
import type { Connection, Upstream } from './upstream.ts';

/** Bytes that are held at most before the answer to the caller begins. */
const HELD_BYTES = 64 * 1024;

/** Why there is no response of a service. */
export class Failure {
  readonly error: Error;
  /** Whether the service can have seen anything of the call. */
  readonly wasSent: boolean;
  /** Whether it began to answer. */
  readonly wasAnswered: boolean;

  constructor(error: Error, wasSent: boolean, wasAnswered: boolean) {
    this.error = error;
    this.wasSent = wasSent;
    this.wasAnswered = wasAnswered;
  }
}

/** Whether the HTTP client, which judges what it is given once more, would not send a request. */
export function isRefusedInput(error: Error): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED';
}

/** A call that is ready to go to any endpoint of a version. */
export interface ReadyCall {
  /** Request target, bytes as they came. */
  readonly target: string;
  readonly method: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly body: Readable | Buffer | null;
  /** The protocol to change to, where the call asks for one. */
  readonly upgrade: string | undefined;
  /** The call ends with it. */
  readonly response: ServerResponse;
  /** The time that a service has until its response headers. */
  readonly headersMilliseconds: number;
}

/** That a service changed the protocol, as it was asked to. */
export interface Switched {
  readonly status: 101;
  readonly headers: IncomingHttpHeaders;
  readonly socket: Duplex;
}

/** What an attempt came to before its answer began. */
export type Outcome = ServiceAnswer | Switched | Failure;

/** Calls a service once, over one connection. */
export function attempt(
  call: ReadyCall,
  upstream: Upstream,
  connection: Connection,
): Promise<Outcome> {
  return new Promise((settle) => new Attempt(call, upstream, connection, settle).begin());
}

/**
 * One attempt to call a service over one connection. The HTTP client calls it for each step; nothing stands
 * between the two sockets but this. A small answer has come whole before the head is written to the caller,
 * and so leaves in one piece.
 */
class Attempt implements Dispatcher.DispatchHandler {
  readonly #call: ReadyCall;
  readonly #upstream: Upstream;
  readonly #connection: Connection;
  readonly #isReused: boolean;
  readonly #settle: (outcome: Outcome) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #timer: NodeJS.Timeout | undefined;
  #response: ServerResponse | undefined;
  #end: EndAnswer | undefined;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #wasSent = false;
  #wasAnswered = false;
  #hasSettled = false;
  #isOver = false;
  #wasLeft = false;
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
    this.#isReused = connection.isReused;
    this.#settle = settle;
    upstream.outstanding += 1;
    upstream.health.begin();
  }

  begin(): void {
    const { target: path, method, headers: own, body, upgrade, response } = this.#call;
    if (response.destroyed) {
      this.#leave();
      return;
    }
    response.on('close', this.#leave);
    const expire = () => this.#abort(new GatewayError('SERVICE_TIMEOUT'));
    const timer = setTimeout(expire, this.#call.headersMilliseconds).unref();
    this.#timer = timer;
    if (body instanceof ServiceBody) body.onProgress = () => timer.refresh();
    const { host } = this.#upstream;
    const headers = host === undefined ? own : [...own, 'host', host];
    this.#connection.dispatch({ path, method, headers, body, upgrade } as never, this);
  }

  /** Ends the attempt because nobody waits for its response any more. */
  readonly #leave = (): void => {
    if (this.#isOver) return;
    this.#wasLeft = true;
    // Named as Node names it, so that nobody takes it for an error of the gateway.
    this.#abort(Object.assign(new Error('The client went away.'), { code: 'ECONNRESET' }));
  };

  #abort(error: Error): void {
    if (this.#isOver) return;
    this.#error = error;
    this.#connection.destroy(error);
    // The client is silent about a call that it has not begun.
    this.onResponseError(undefined, error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#wasSent = true;
  }

  /** Called with the first byte of the answer; the client has it, its types do not. */
  onResponseStarted(): void {
    this.#wasAnswered = true;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    // Interim answers are the gateway's own business; a 101 that nobody asked for is no answer.
    if (status === 101) controller.abort(new Error('The service changed the protocol unasked.'));
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
    this.#upstream.outstanding -= 1;
    this.#upstream.giveBack(this.#connection);
    if (this.#response !== undefined) this.#end?.(this.#response);
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#upstream.outstanding -= 1;
    if (!this.#hasSettled) this.#judge(error);
    this.#error ??= error;
    this.#connection.destroy();
    // HTTP has one way to say that the rest is missing.
    this.#response?.destroy();
    if (this.#hasSettled) return;
    this.#call.response.off('close', this.#leave);
    clearTimeout(this.#timer);
    this.#settle(new Failure(this.#error, this.#wasSent, this.#wasAnswered));
  }

  /** An answer has begun: the service lives. */
  #conclude(outcome: ServiceAnswer | Switched): void {
    this.#hasSettled = true;
    this.#upstream.health.succeed();
    clearTimeout(this.#timer);
    this.#settle(outcome);
  }

  /** Whose fault it is that there is no answer. */
  #judge(error: Error): void {
    const { health } = this.#upstream;
    const { body } = this.#call;
    const isCallers =
      this.#wasLeft || isRefusedInput(error) || (body instanceof ServiceBody && body.isBrokenOff);
    // A service may end a connection that was idle just when the next call comes.
    const wasIdle = this.#isReused && !this.#wasAnswered && this.#error === undefined;
    if (isCallers || wasIdle) health.forget();
    else health.fail(this.#wasSent);
  }

  /** Writes the body to the caller, what has come and what will come, no faster than it is taken. */
  readonly #write = (response: ServerResponse, end: EndAnswer): void => {
    this.#response = response;
    this.#end = end;
    const held = this.#held;
    this.#held = [];
    if (this.#error !== undefined) {
      response.destroy();
      return;
    }
    if (this.#isOver) {
      const last = held.pop();
      for (const chunk of held) response.write(chunk);
      end(response, last);
      return;
    }
    response.on('drain', () => this.#controller?.resume());
    // Unlike `flushHeaders`, which writes UTF-8, this leaves the bytes of headers what they are.
    let isFull = held.length === 0 && !response.write('', 'latin1');
    for (const chunk of held) isFull = !response.write(chunk);
    if (!isFull) this.#controller?.resume();
  };
}
