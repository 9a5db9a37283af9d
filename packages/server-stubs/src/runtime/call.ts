import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer, Route } from './route-table.ts';

/**
 * Name of the method by which an error answers for itself: `error[toAnswer](call)`. An error without
 * it, thrown by a handler, is answered with a fixed text and status 500.
 */
export const toAnswer: unique symbol = Symbol.for('@berth/server-stubs/toAnswer');

/** An error that knows its answer. */
export interface Answerable {
  [toAnswer](call: Call): Answer;
}

export function isAnswerable(error: unknown): error is Answerable {
  return (
    typeof error === 'object' &&
    error !== null &&
    typeof (error as Partial<Answerable>)[toAnswer] === 'function'
  );
}

/** Principals that the security handlers returned, by scheme. */
export type Principals = Readonly<Record<string, unknown>>;

/** One request on its way to an answer: what a handler may want beside its input. */
export class Call<Security extends object = Principals> {
  readonly request: IncomingMessage;
  /** For what an answer cannot say. A handler that ends it itself must still return an answer. */
  readonly response: ServerResponse;
  /** Absent where no operation was found. */
  readonly route: Route | undefined;
  /** Path of the request as it came, nothing decoded. Without the mount path under Express. */
  readonly rawPath: string;
  /** Query as it came, without the question mark; `undefined` where there is none. */
  readonly rawQuery: string | undefined;
  /** Who was let in: the principal of each scheme of the alternative that held. */
  security: Security = NOBODY as Security;
  #requestId: string | undefined;
  #controller: AbortController | undefined;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    route: Route | undefined,
    rawPath: string,
    rawQuery: string | undefined,
    requestId: string | undefined,
  ) {
    this.request = request;
    this.response = response;
    this.route = route;
    this.rawPath = rawPath;
    this.rawQuery = rawQuery;
    this.#requestId = requestId;
  }

  /** Empty where no operation was found. */
  get operationId(): string {
    return this.route?.operationId ?? '';
  }

  /** A UUID, made anew for each call when first asked for; or that of the option `requestId`. */
  get requestId(): string {
    this.#requestId ??= crypto.randomUUID();
    return this.#requestId;
  }

  /** Aborted when the client goes away before the answer is complete. */
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
