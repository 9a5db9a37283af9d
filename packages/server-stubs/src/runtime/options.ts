import type { IncomingMessage, ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import type { Call, HandlerResponse } from './portable/call.ts';
import type { ErrorWithResponse, HttpError } from './portable/http-error.ts';
import { assertLimit, assertNames, namesOf } from './portable/user-input.ts';

/** Options of all routers. The contract's routers add `ApiOptions` (`src/surface.ts`) and options of their own. */
export interface CommonOptions {
  readonly requests?: RequestLimits;
  /** `check` sends a 500 instead of a response that violates the document, for development. Default: `pass`. */
  readonly responses?: 'check' | 'pass' | undefined;
  /** Called at the start of every call. `onResponse` is not called if the client disconnects before the response. */
  readonly onCall?: ((call: Call) => void) | undefined;
  /**
   * Called with each error that does not define its own response, as an `HttpError` does, and so results in a 500. Also
   * called with errors of bodies that are being sent. Default: prints operation and error to stderr.
   */
  readonly onError?: ((error: unknown, call: Call) => void) | undefined;
  /**
   * Called before each response is sent, for logs and metrics: with what the handler returned, not what is sent, and
   * with the error that caused it. If a router of the contract rejects a request, the `cause` of that error is the
   * `HttpError`. Must not throw.
   */
  readonly onResponse?:
    | ((response: HandlerResponse, call: Call, error?: ErrorWithResponse) => void)
    | undefined;
  /** Returns the ID of a call, or `undefined` to create one. It must be valid in a header. Default: a new UUID. */
  readonly requestId?: ((request: IncomingMessage) => string | undefined) | undefined;
}

/** Options of a generated router, which adds `security`, with a handler for each scheme of its document. */
export interface RouterOptions extends CommonOptions {
  /** Converts each `HttpError`. Required headers, such as `Allow`, are added. Default: problem details (RFC 9457). */
  readonly toError?: (
    error: HttpError,
    call: Call,
  ) => ErrorWithResponse | Promise<ErrorWithResponse>;
  /** Returns headers for every response, whose own headers take precedence. Lists, such as `Vary`, are merged. */
  readonly headers?: (call: Call) => Readonly<Record<string, string>>;
}

/** Options of `createTableRouter`, which creates all routers. */
export interface TableRouterOptions extends RouterOptions {
  /** A handler for each security scheme that the document uses. Throws if one is missing. */
  readonly security?: SecurityHandlers;
  /** Returns the environment of a call, before the caller is authenticated. */
  readonly findEnv?: (call: Call) => string;
  /** Returns the response to an OPTIONS request that has no operation, such as a preflight. Default: 404 or 405. */
  readonly respondToOptions?: (call: Call) => HandlerResponse;
  /** Default of both limits in `requests`. */
  readonly maxBytes?: number;
  /** Converts each body to what is sent, for a deployment whose responses differ from the document. */
  readonly encodeBody?: (body: unknown) => unknown;
}

/** Request limits. Node.js limits the request line and headers, to 16 KiB by default (`maxHeaderSize`). */
export interface RequestLimits {
  /** Maximum bytes of a buffered body (JSON, text, form). Default: 1 MiB; in the storage API, the contract's limit. */
  readonly bodyBytes?: number | undefined;
  /** Maximum bytes of a streamed body. Default: no limit; in the gateway and for uploads, the contract's limit. */
  readonly streamBytes?: number | undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: a handler of narrower input must be assignable
type Any = any;

/** Handles one operation. Generated code narrows both types. */
export type Handler = (
  input: Any,
  call: Call<Any, Any>,
) => HandlerResponse | Promise<HandlerResponse>;

/** Handlers by operationId. Operations without a handler respond with 501. */
export type Handlers = Readonly<Record<string, Handler | undefined>>;

/**
 * Returns the principal that a credential belongs to, or `undefined` to reject it, or throws an error that defines its
 * own response. The credential is the text after the scheme name (`http`, `oauth2`,
 * `openIdConnect`), a value (`apiKey`), or empty (`mutualTLS`). Not called for a request without a credential.
 *
 * @param scopes the scopes or roles that the operation requires, if any
 */
export type SecurityHandler<Principal = unknown> = (
  credential: string,
  call: Call,
  scopes: readonly string[],
) => Principal | undefined | Promise<Principal | undefined>;

/** The security handlers, one for each scheme that the document uses. */
export type SecurityHandlers = Readonly<Record<string, SecurityHandler>>;

/** A request listener for `node:http` and Express. */
export type Listener = (
  request: IncomingMessage,
  response: ServerResponse,
  next?: (error?: unknown) => void,
) => void;

/** Middleware for Express 4 and 5, and a `node:http` listener. Without `next`, unknown paths get a 404. */
export interface Router extends Listener {
  /** Finds the operation of a request, and its raw path parameters, for example for a rate limit per operation. */
  readonly find: (
    request: Pick<IncomingMessage, 'method' | 'url'>,
  ) => { operationId: string; path: Readonly<Record<string, string>> } | undefined;
  /** Listener for `server.on('checkContinue', …)`, which sends `100 Continue` only if the body will be read. */
  readonly checkContinue: Listener;
}

export const COMMON_NAMES = namesOf<CommonOptions>({
  requests: true,
  responses: true,
  onCall: true,
  onError: true,
  onResponse: true,
  requestId: true,
});

const TABLE_NAMES = namesOf<Omit<TableRouterOptions, keyof CommonOptions>>({
  security: true,
  toError: true,
  headers: true,
  findEnv: true,
  respondToOptions: true,
  maxBytes: true,
  encodeBody: true,
});

export type Settings = ReturnType<typeof toSettings>;
export type Limits = Settings['limits'];

export function toSettings(settings: TableRouterOptions) {
  assertNames('options', settings, [...COMMON_NAMES, ...TABLE_NAMES]);
  const { requests = {}, maxBytes, onError, ...options } = settings;
  const { bodyBytes = maxBytes ?? 2 ** 20, streamBytes = maxBytes ?? Infinity } = requests;
  const limits = { bodyBytes, streamBytes };
  assertNames('requests', requests, Object.keys(limits));
  for (const [name, value] of Object.entries(limits)) assertLimit(value, `requests.${name}`);
  const { responses = 'pass', encodeBody = (body) => body } = options;
  if (responses !== 'check' && responses !== 'pass') {
    throw new TypeError('options.responses must be check or pass.');
  }
  return { ...options, encodeBody, onError: toSafeOnError(onError), limits };
}

/** Returns a function that never fails, because a failing log must not affect the response. */
export function toSafeOnError(onError: CommonOptions['onError']): NonNullable<typeof onError> {
  return async (error, call) => {
    try {
      // It may be asynchronous.
      if (onError) await onError(error, call);
      else process.stderr.write(`${call.operationId}: ${inspect(error)}\n`);
    } catch {}
  };
}
