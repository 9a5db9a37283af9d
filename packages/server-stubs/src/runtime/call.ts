import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Route } from './route-table.ts';

/** The principals that the security handlers returned, by scheme. */
export type Principals = Readonly<Record<string, unknown>>;

/** The context of a request. Handlers get it in addition to their input. */
export class Call<Security extends object = Principals> {
  readonly request: IncomingMessage;
  /** For what a returned response cannot express. A handler that ends it must still return a response. */
  readonly response: ServerResponse;
  /** `undefined` if no operation was found. */
  readonly route: Route | undefined;
  /** Request path as sent, not decoded. In Express, without the mount path. */
  readonly rawPath: string;
  /** Query as sent, without the question mark; `undefined` if there is none. */
  readonly rawQuery: string | undefined;
  /** The principals of the alternative that authenticated the caller, by scheme. */
  security: Security = NOBODY as Security;
  readonly #createId: ((request: IncomingMessage) => string | undefined) | undefined;
  #requestId: string | undefined;
  #controller: AbortController | undefined;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    route: Route | undefined,
    rawPath: string,
    rawQuery: string | undefined,
    createId?: (request: IncomingMessage) => string | undefined,
  ) {
    this.request = request;
    this.response = response;
    this.route = route;
    this.rawPath = rawPath;
    this.rawQuery = rawQuery;
    this.#createId = createId;
  }

  /** Empty if no operation was found. */
  get operationId(): string {
    return this.route?.operationId ?? '';
  }

  /** ID of the call: the result of the `requestId` option, or a new UUID. */
  get requestId(): string {
    this.#requestId ??= this.#createId?.(this.request) ?? crypto.randomUUID();
    return this.#requestId;
  }

  /** Aborted when the client disconnects before the response is complete. */
  get signal(): AbortSignal {
    this.#controller ??= abortWith(this.response);
    return this.#controller.signal;
  }
}

const NOBODY: Principals = Object.freeze({});

function abortWith(response: ServerResponse): AbortController {
  const controller = new AbortController();
  const abort = () => {
    if (!response.writableFinished) controller.abort();
  };
  if (response.destroyed || response.closed) abort();
  else response.once('close', abort);
  return controller;
}

/** A value, or a promise of it. */
export type MaybePromise<Value> = Value | Promise<Value>;

/**
 * Like `next(await value)`, but continues at once if there is nothing to wait for: a call whose handlers return no
 * promises takes no turn of the event loop.
 */
export function after<Value, Result>(
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Result>,
): MaybePromise<Result> {
  return isPromise(value) ? value.then(next) : next(value);
}

/** Like `try { return await work(); } catch (error) { return recover(error); }`, without waiting for a value. */
export function attempt<Result>(
  work: () => MaybePromise<Result>,
  recover: (error: unknown) => MaybePromise<Result>,
): MaybePromise<Result> {
  try {
    const result = work();
    return isPromise(result) ? result.then(undefined, recover) : result;
  } catch (error) {
    return recover(error);
  }
}

/** Handlers may return the promises of any library. */
function isPromise<Value>(value: MaybePromise<Value>): value is Promise<Value> {
  return typeof (value as Partial<Promise<Value>> | undefined | null)?.then === 'function';
}
