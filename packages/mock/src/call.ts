import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import { HttpError } from '@berth/server-stubs/contract';
import type { Call, HandlerResponse } from '@berth/server-stubs/runtime';
import type { Session } from './sessions/session.ts';
import type { CallTarget, SurfaceName } from './surface.ts';

/** A call: what it is for, its session, and what the log shows. Handlers look it up with `callOf(request)`. */
export class MockCall implements CallTarget {
  readonly session: Session;
  readonly id = randomUUID();
  readonly at = Date.now();
  readonly method: string;
  readonly target: string;
  readonly surface: SurfaceName;
  /** The service of a document sets it to the operation that responds. */
  operationId: string | undefined;
  readonly service: string | undefined;
  /** Names of the faults with an effect. Set by `countFault`. */
  readonly faults: string[] = [];
  /** Set by `recordResponse`. */
  status: number | undefined;
  /** Set by `setReason`. */
  reason: string | undefined;
  /** Set by `end`: undefined while the call is pending. */
  ms: number | undefined;
  /** Joined, since a long array of short strings takes ten times the memory. */
  readonly #headers: string;
  readonly #start = performance.now();
  readonly #body: BodyCopy | undefined;

  constructor(session: Session, matched: CallTarget, request: IncomingMessage) {
    this.session = session;
    this.surface = matched.surface;
    this.operationId = matched.operationId;
    this.service = matched.service;
    this.method = request.method ?? 'GET';
    this.target = request.url ?? '/';
    this.#headers = request.rawHeaders.join('\n');
    // The form of an upload contains a grant.
    if (this.surface !== 'upload') this.#body = (request as MockRequest).bodyCopy;
  }

  get headers(): [name: string, value: string][] {
    const pairs = this.#headers.matchAll(/(.+)\n(.*)/g);
    return Array.from(pairs, ([, name = '', value = '']) => [name, value]);
  }

  get body(): string | undefined {
    return this.#body?.text;
  }

  /** @param reason why the call is rejected. The first one wins */
  setReason(reason: string): void {
    // It may quote what the caller has sent. A slice alone would keep all of the text in memory.
    this.reason ??= Buffer.from(reason.slice(0, MAX_REASON)).toString();
  }

  /** Called just before a response is sent. Nothing is sent after the call has ended. */
  recordResponse(status: number, error?: unknown): void {
    if (error instanceof Error) {
      const { cause, message } = error;
      // Other errors get a code and a message of the contract.
      const isInvalid = cause instanceof HttpError && cause.violations.length > 0;
      this.setReason('code' in error && !isInvalid ? `${error.code}: ${message}` : message);
    }
    if (this.ms === undefined) this.status = status;
  }

  /** @param response undefined for an upgrade */
  end(response: ServerResponse | undefined): void {
    if (response?.headersSent) this.recordResponse(response.statusCode);
    this.ms = performance.now() - this.#start;
  }
}

export const MAX_REASON = 1_000;

const MAX_BODY_BYTES = 16 * 1024;

/** A copy of a request's body for the log. It outlives the request. */
class BodyCopy {
  #bytes: Buffer = Buffer.alloc(0);
  #size = 0;

  add(chunk: Uint8Array): void {
    this.#size += chunk.length;
    this.#bytes = Buffer.concat(this.#size > MAX_BODY_BYTES ? [] : [this.#bytes, chunk]);
  }

  /** Undefined for binary data, and for a body that was not kept completely. */
  get text(): string | undefined {
    if (this.#size === 0 || this.#size > MAX_BODY_BYTES) return undefined;
    return isUtf8(this.#bytes) ? this.#bytes.toString() : undefined;
  }
}

/** An incoming request. It copies its body as Node delivers it, which may be before its call begins. */
export class MockRequest extends IncomingMessage {
  readonly bodyCopy = new BodyCopy();

  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    if (chunk !== null) this.bodyCopy.add(chunk);
    return super.push(chunk, encoding);
  }
}

/** A response whose body faults can cut. The mock passes no callbacks. */
export class MockResponse extends ServerResponse {
  readonly #limits = new Set<{ maxBytes: number; begin: () => boolean }>();
  #bytes = 0;
  #isCut = false;

  /** @param begin called once, before a longer body is cut. If it returns false, the body is sent as it is */
  truncate(maxBytes: number, begin: () => boolean): void {
    if (this.req.method !== 'HEAD') this.#limits.add({ maxBytes, begin });
  }

  override write(chunk: string | Uint8Array, encoding?: unknown): boolean {
    // Nothing follows a cut, as if the connection were slow.
    if (this.#isCut) return false;
    if (this.#limits.size === 0 || this.destroyed) {
      return super.write(chunk, encoding as BufferEncoding);
    }
    const bytes = Buffer.from(chunk as string, encoding as BufferEncoding);
    let { length } = bytes;
    for (const limit of this.#limits) {
      if (this.#bytes + length <= limit.maxBytes) continue;
      this.#limits.delete(limit);
      if (limit.begin()) length = limit.maxBytes - this.#bytes;
    }
    this.#bytes += bytes.length;
    this.#isCut = length < bytes.length;
    if (!this.#isCut) return super.write(bytes);
    super.write(bytes.subarray(0, length), () => this.socket?.destroySoon());
    return false;
  }

  override end(chunk?: unknown, encoding?: unknown): this {
    const isLimited = this.#limits.size > 0 && !this.writableEnded;
    if (isLimited && chunk !== undefined) this.write(chunk as string, encoding);
    if (this.#isCut) return this;
    return isLimited ? super.end() : super.end(chunk, encoding as BufferEncoding);
  }
}

/** Routers, handlers and credential checks only get the request. */
const calls = new WeakMap<IncomingMessage, MockCall>();

export function beginCall(request: IncomingMessage, call: MockCall): void {
  calls.set(request, call);
}

/** Returns undefined if the call has not begun. */
export function findCall(request: IncomingMessage): MockCall | undefined {
  return calls.get(request);
}

/** @throws TypeError if the call has not begun */
export function callOf(request: IncomingMessage): MockCall {
  const call = findCall(request);
  if (call === undefined) throw new TypeError('The call has not begun.');
  return call;
}

/** Hooks that all routers share: they set the request ID, and record the status and the reason of a call. */
export const ROUTER_HOOKS = {
  requestId: (request: IncomingMessage) => callOf(request).id,
  onError(error: unknown, { request }: Call) {
    // An aborted request is not a bug in the mock.
    if (request.complete) process.emitWarning(error as Error);
  },
  onResponse({ status }: HandlerResponse, { request }: Pick<Call, 'request'>, error?: unknown) {
    callOf(request).recordResponse(status, error);
  },
};
