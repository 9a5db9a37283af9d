import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ServiceAnswer } from '@berth/server-stubs';
import type { Dispatcher } from 'undici';
import type { Connection } from '../upstream/connection.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { Failure } from './failure.ts';
import { isRefusedInput } from './is-refused-input.ts';

/** Bytes that are held at most before the answer to the caller begins. */
const HELD_BYTES = 64 * 1024;

/** Up to here a copy costs less than a second buffer for the system to write. */
const SMALL_BYTES = 8 * 1024;

/** That a service changed the protocol, as it was asked to. */
export interface Switched {
  readonly status: 101;
  readonly headers: IncomingHttpHeaders;
  readonly socket: Duplex;
}

/** What an attempt came to before its answer began. */
export type Outcome = ServiceAnswer | Switched | Failure;

/**
 * One attempt to call a service over one connection. The HTTP client calls it for each step; nothing stands
 * between the two sockets but this. A small answer has come whole before the head is written to the caller,
 * and so leaves in one piece.
 */
export class Attempt implements Dispatcher.DispatchHandler {
  readonly #upstream: Upstream;
  readonly #connection: Connection;
  readonly #settle: (outcome: Outcome) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #response: ServerResponse | undefined;
  #held: Buffer[] | undefined;
  #heldBytes = 0;
  #wasSent = false;
  #wasAnswered = false;
  #isOver = false;
  #error: Error | undefined;

  constructor(upstream: Upstream, connection: Connection, settle: (outcome: Outcome) => void) {
    this.#upstream = upstream;
    this.#connection = connection;
    this.#settle = settle;
    upstream.outstanding += 1;
    upstream.health.begin();
  }

  /** Ends the attempt, wherever it is. Nothing happens where it has ended. */
  abort(error: Error): void {
    if (this.#isOver) return;
    this.#error = error;
    this.#connection.destroy(error);
    // The client is silent about a call that it has not begun.
    this.onResponseError(undefined, error);
  }

  /** Ends the attempt because nobody waits for its answer any more. */
  leave(): void {
    if (this.#isOver) return;
    // Named as Node names it, so that nobody takes it for an error of the gateway.
    this.abort(Object.assign(new Error('The client went away.'), { code: 'ECONNRESET' }));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#wasSent = true;
    this.#upstream.health.succeed();
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
    else if (status >= 200) this.#settle({ status, headers, body: this.#write });
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
    this.#settle({ status: 101, headers, socket });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#response !== undefined) {
      if (!this.#response.write(chunk)) controller.pause();
      return;
    }
    this.#held ??= [];
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    if (this.#heldBytes >= HELD_BYTES) controller.pause();
  }

  onResponseEnd(): void {
    this.#isOver = true;
    this.#upstream.outstanding -= 1;
    this.#upstream.giveBack(this.#connection);
    this.#response?.end();
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#upstream.outstanding -= 1;
    if (!this.#wasSent) {
      if (this.#error !== undefined || isRefusedInput(error)) this.#upstream.health.forget();
      else this.#upstream.health.fail();
    }
    this.#error ??= error;
    this.#connection.destroy();
    // HTTP has one way to say that the rest is missing.
    this.#response?.destroy();
    this.#settle(new Failure(this.#error, this.#wasSent, this.#wasAnswered));
  }

  /** Writes the body to the caller, what has come and what will come, no faster than it is taken. */
  readonly #write = (response: ServerResponse): void => {
    this.#response = response;
    const held = this.#held;
    this.#held = undefined;
    if (this.#error !== undefined) {
      response.destroy();
      return;
    }
    if (this.#isOver) {
      endWith(response, held);
      return;
    }
    response.on('drain', () => this.#controller?.resume());
    let isFull = false;
    if (held === undefined) response.flushHeaders();
    else for (const chunk of held) isFull = !response.write(chunk);
    if (!isFull) this.#controller?.resume();
  };
}

/** Ends an answer that has come whole. A small one leaves together with its head, in one string. */
function endWith(response: ServerResponse, held: readonly Buffer[] | undefined): void {
  const [only] = held ?? [];
  if (held === undefined || only === undefined) {
    response.end();
  } else if (held.length === 1 && only.length <= SMALL_BYTES) {
    response.end(only.toString('latin1'), 'latin1');
  } else {
    for (const chunk of held) response.write(chunk);
    response.end();
  }
}
