import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import { GatewayError, type ServiceResponse } from '@berth/server-stubs';
import { toDisconnectError } from '@berth/server-stubs/runtime';
import { type Dispatcher, errors } from 'undici';
import { recordOf } from '../http/call-record.ts';
import { ResponseRelay } from './bodies.ts';
import type { Endpoint, Reuse, ServiceConnection } from './endpoint.ts';
import type { Target } from './targets.ts';

const MAX_ATTEMPTS = 3;

/** The idempotent methods of the gateway. They have no body (D13). */
const IDEMPOTENT = ['GET', 'HEAD'];

/**
 * A call that is ready to be sent to any endpoint of a version. undici gets it as is, so each field is one of its options;
 * what only the gateway needs is in `Target`. Path and headers are sent byte for byte.
 */
export interface ServiceRequest extends Dispatcher.DispatchOptions {
  /** Alternating names and values. */
  readonly headers: string[];
  readonly body: Readable | Buffer | null;
  readonly upgrade: 'websocket' | null;
  /** Maximum time until the response headers arrive, in milliseconds. */
  readonly headersTimeout: number;
}

interface UpgradedConnection {
  readonly status: 101;
  readonly headers: IncomingHttpHeaders;
  readonly socket: Duplex;
}

export type ForwardedResponse = ServiceResponse | UpgradedConnection;

/*
 * The states of an attempt, and what each event of undici does. The call is over when no attempt follows.
 *
 * | State      | The service has          | Event, next state             | onResponseError               |
 * | ---------- | ------------------------ | ----------------------------- | ----------------------------- |
 * | connecting | no request               | onRequestStart: sent          | try again, or reject the call |
 * | sent       | perhaps the request      | onResponseStarted: responding | try again, or reject the call |
 * | responding | begun to send the head   | onResponseStart: relaying     | reject the call               |
 * |            |                          | onRequestUpgrade: done        |                               |
 * | relaying   | sent the head            | onResponseEnd: done           | abort the response            |
 * | done       | ended its part           |                               | nothing                       |
 *
 * After an interim response, an attempt stays in `responding`. If the caller disconnects, any state becomes `done`.
 */
type State = 'connecting' | 'sent' | 'responding' | 'relaying' | 'done';

/**
 * A call on its way to a service: chooses an endpoint, and tries again while that is safe. It is itself the handler
 * that undici calls for each event, so that nothing else is between the two sockets.
 *
 * An unsolicited `100 Continue` is treated as an error, because the HTTP client never sends `Expect` and closes such a
 * connection. Other interim responses are accepted and not forwarded, and trailers are dropped.
 */
export class Forwarding implements Dispatcher.DispatchHandler {
  readonly #request: ServiceRequest;
  readonly #target: Target;
  readonly #response: ServerResponse;
  readonly #outcome = Promise.withResolvers<ForwardedResponse>();
  #attempts = 0;
  /** How often the call may be sent again although a service may have received it. */
  #retriesLeft: number;
  // Of the current attempt:
  #state: State = 'connecting';
  #endpoint!: Endpoint;
  #connection!: ServiceConnection;
  /** When the request had been sent. */
  #sentAt = Number.POSITIVE_INFINITY;
  #isReused = false;
  #relay: ResponseRelay | undefined;

  constructor(request: ServiceRequest, target: Target, response: ServerResponse) {
    this.#request = request;
    this.#target = target;
    this.#response = response;
    this.#retriesLeft = IDEMPOTENT.includes(request.method) ? 1 : 0;
  }

  /** Rejects with a GatewayError if there is no response. */
  start(): Promise<ForwardedResponse> {
    if (this.#response.destroyed) return Promise.reject(toDisconnectError());
    this.#response.on('close', this.#onDisconnect);
    const reuse = this.#retriesLeft > 0 ? 'any' : 'recently-used';
    this.#send(this.#request.upgrade === null ? reuse : 'none');
    return this.#outcome.promise;
  }

  /** Calls the next endpoint, or the only one again. */
  #send(reuse: Reuse): void {
    const { endpoints } = this.#target;
    this.#endpoint = endpoints[this.#attempts % endpoints.length] as Endpoint;
    this.#connection = this.#endpoint.connect(reuse);
    this.#state = 'connecting';
    this.#attempts += 1;
    this.#sentAt = Number.POSITIVE_INFINITY;
    this.#connection.dispatch(this.#request, this);
  }

  onRequestStart(): void {
    this.#isReused = this.#connection.hasServed;
    this.#state = 'sent';
  }

  onRequestSent(): void {
    this.#sentAt = performance.now();
  }

  /** Called with the first byte of the response. Without it, a GET whose response has begun would be sent again. */
  onResponseStarted(): void {
    this.#state = 'responding';
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    const problem = findResponseError(status, headers);
    if (problem !== undefined) {
      controller.abort(new Error(`The service ${problem}.`));
    } else if (status >= 200) {
      this.#state = 'relaying';
      this.#relay = new ResponseRelay(this.#response, controller);
      this.#outcome.resolve({ status, headers, body: this.#relay.begin });
    } else if (performance.now() - this.#sentAt > this.#request.headersTimeout) {
      // Each interim response restarts the client's own timeout.
      controller.abort(new errors.HeadersTimeoutError());
    }
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    this.#relay?.write(chunk);
  }

  onResponseEnd(): void {
    if (this.#state === 'done') return;
    this.#state = 'done';
    this.#endpoint.release(this.#connection);
    this.#relay?.end();
  }

  onRequestUpgrade(
    controller: Dispatcher.DispatchController,
    _status: number,
    headers: IncomingHttpHeaders,
    socket: Duplex,
  ): void {
    // RFC 6455, section 4.1: any other protocol is a failure, and the caller would not see which one it is.
    if (headers.upgrade?.toLowerCase() !== 'websocket') {
      socket.destroy();
      this.onResponseError(controller, new Error('The service switched to another protocol.'));
      return;
    }
    this.#state = 'done';
    socket.once('close', () => this.#endpoint.discard(this.#connection));
    this.#outcome.resolve({ status: 101, headers, socket });
  }

  onResponseError(_controller: unknown, error: Error): void {
    const state = this.#state;
    if (state === 'done') return;
    this.#discard();
    if (state === 'relaying') {
      recordOf(this.#response.req).settle('aborted', this.#toGatewayError(error, state));
      this.#relay?.abort();
    } else if (!this.#response.destroyed && this.#shouldRetry(error, state)) {
      if (state === 'sent') this.#retriesLeft -= 1;
      this.#send('none');
    } else {
      this.#outcome.reject(this.#toGatewayError(error, state));
    }
  }

  /**
   * A call that cannot have reached a service goes to the next endpoints. An idempotent one is also sent again, once, if
   * there was no response (RFC 9110, section 9.2.2): to another endpoint, or to the only one if the connection was
   * reused, because services close idle connections (RFC 9112, section 9.3.1).
   */
  #shouldRetry(error: Error, state: State): boolean {
    const { length } = this.#target.endpoints;
    if (this.#attempts >= Math.min(Math.max(length, 2), MAX_ATTEMPTS)) return false;
    if (isInvalidRequest(error)) return false;
    if (state === 'connecting') return true;
    if (state !== 'sent' || isTimeout(error)) return false;
    return this.#retriesLeft > 0 && (this.#isReused || length > 1);
  }

  /** Ends the call because no one is waiting for its response any more. */
  readonly #onDisconnect = (): void => {
    if (this.#state === 'done') return;
    this.#discard();
    // No effect if the response has begun.
    this.#outcome.reject(toDisconnectError());
  };

  #discard(): void {
    this.#state = 'done';
    this.#endpoint.discard(this.#connection);
  }

  /** If the request's body was too large, the stubs' `gateway/router.ts` (`callService`) responds with that error. */
  #toGatewayError(error: Error, state: State): GatewayError {
    if (isInvalidRequest(error)) {
      const message = 'The request cannot be forwarded.';
      return new GatewayError('INVALID_REQUEST', { message, cause: error });
    }
    const logged = { version: this.#target.version, endpoint: this.#endpoint.origin };
    const cause = Object.assign(new Error(describe(error), { cause: error }), logged);
    if (state === 'connecting') return new GatewayError('SERVICE_LB_STATUS_ABNORMAL', { cause });
    return new GatewayError(isTimeout(error) ? 'SERVICE_TIMEOUT' : 'BAD_GATEWAY', { cause });
  }
}

function findResponseError(
  status: number,
  { 'transfer-encoding': coding = 'chunked' }: IncomingHttpHeaders,
): string | undefined {
  if (status === 101) return 'switched protocols, but no switch was requested';
  if (status > 599) return `responded with the status ${status}`;
  // Only chunks are decoded here, and callers would not learn about another coding.
  return String(coding).toLowerCase() === 'chunked' ? undefined : 'used an unknown transfer coding';
}

/** Returns whether the HTTP client, which validates requests again, refused to send this one. */
function isInvalidRequest({ code }: NodeJS.ErrnoException): boolean {
  return code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED';
}

function isTimeout({ code }: NodeJS.ErrnoException): boolean {
  return code === 'UND_ERR_HEADERS_TIMEOUT';
}

function describe(error: Error): string {
  // A host name with several addresses has an error for each.
  const first = error instanceof AggregateError ? error.errors[0] : error;
  const { code, address, port, message } = first;
  return address === undefined ? message : `${code} ${address}:${port}`;
}
