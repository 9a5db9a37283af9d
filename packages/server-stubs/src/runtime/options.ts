import type { IncomingMessage, ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import type { Call } from './call.ts';
import { type Fault, toProblem, type Violation } from './faults.ts';
import type { HandlerResponse } from './route-table.ts';

const DEFAULT_LIMITS: Limits = {
  bodyBytes: 1024 * 1024,
  streamBytes: Infinity,
  headerBytes: Infinity,
  pathBytes: 8 * 1024,
  queryBytes: 8 * 1024,
  jsonDepth: 64,
  formFields: 100,
  fieldBytes: 64 * 1024,
  formFiles: 10,
};

export interface RouterOptions {
  /** A handler for each security scheme that the document uses; a missing one throws. */
  readonly security?: SecurityHandlers;
  readonly requests?: RequestLimits;
  /**
   * What happens to a response that violates the document: `refuse` sends 500 instead, `log` sends it
   * after `onViolation`, `pass` skips validation, which is fastest. Default `refuse`.
   */
  readonly responses?: 'refuse' | 'log' | 'pass';
  /** Called with each response that violates the document. Default: emits a process warning. */
  readonly onViolation?: (violation: Violation, call: Call) => void;
  /**
   * Called with each error that results in a 500, and each error of a body stream while it is sent.
   * Default: prints it to standard error.
   */
  readonly onError?: (error: unknown, call: Call) => void;
  /**
   * Called with each response just before it is sent, for logs and metrics: `call` has the operation and
   * the request ID. Must not throw. Default: none.
   */
  readonly onResponse?: (response: HandlerResponse, call: Call) => void;
  /**
   * Called with each fault before it is formatted. A returned fault replaces it, for example to change
   * the message. Must not throw. Default: none.
   */
  readonly onFault?: (fault: Fault, call: Call) => Fault | undefined;
  /** Formats a fault as a response. Default: `application/problem+json` (RFC 9457). */
  readonly toResponse?: (fault: Fault, call: Call) => HandlerResponse;
  /**
   * Returns the identifier of a call that already has one; `undefined` for a new one. It must be valid in
   * a header. Default: a new UUID for each call.
   */
  readonly requestId?: (request: IncomingMessage) => string | undefined;
  /** Headers of every response, such as a request ID; those of the response itself take precedence. */
  readonly headers?: (call: Call) => Readonly<Record<string, string>>;
  /** By operationId. Throws for an operation that is not deprecated in the document. */
  readonly deprecations?: Readonly<Record<string, Deprecation>>;
}

/** Limits of a request. If one is exceeded, the response is 413, 414 (path, query) or 431 (headers). */
export interface RequestLimits {
  /** Bytes of a buffered body: JSON, text, form. Default 1 MiB. */
  readonly bodyBytes?: number;
  /** Bytes of a streamed body: multipart, binary, pass-through. Default: no limit. */
  readonly streamBytes?: number;
  /** Bytes of all names and values of headers. Default: only the limit of Node.js, 16 KiB. */
  readonly headerBytes?: number;
  /** Bytes of the path as sent. Default 8 KiB. */
  readonly pathBytes?: number;
  /** Bytes of the query as sent. Default 8 KiB. */
  readonly queryBytes?: number;
  /** How deep arrays and objects may nest in a JSON body. Default 64. */
  readonly jsonDepth?: number;
  /** Fields of a form, multipart or not. Default 100. */
  readonly formFields?: number;
  /** Bytes of one text field of a multipart form. Default 64 KiB. */
  readonly fieldBytes?: number;
  /** Files of a multipart form. Default 10. */
  readonly formFiles?: number;
}

/** Announced on every response of an operation that the document marks `deprecated`. */
export interface Deprecation {
  /** When it became deprecated (`Deprecation`, RFC 9745). */
  readonly since: Date;
  /** When it may stop working (`Sunset`, RFC 8594). */
  readonly sunset?: Date;
  /** Page that explains it (`Link` with `rel="deprecation"`). */
  readonly link?: string;
}

/** Input of a handler; parts that the operation does not have are `undefined`. */
export interface Input {
  /** Keyed by the names in the document; the prototype is null. */
  readonly path: Readonly<Record<string, unknown>> | undefined;
  readonly query: Readonly<Record<string, unknown>> | undefined;
  readonly header: Readonly<Record<string, unknown>> | undefined;
  readonly cookie: Readonly<Record<string, unknown>> | undefined;
  /** Documented media type of the body; `undefined` without a body. */
  readonly contentType: string | undefined;
  /**
   * JSON: the value. Text: a string. Form: an object, null prototype. Multipart: a `MultipartStream`.
   * Binary and pass-through operations: a `Readable`.
   */
  readonly body: unknown;
}

/** Handles one operation. Generated code narrows both types. */
// biome-ignore lint/suspicious/noExplicitAny: a handler of narrower input must be assignable
export type Handler = (input: any, call: Call<any>) => HandlerResponse | Promise<HandlerResponse>;

/** Handlers by operationId; an operation without one responds with 501. */
export type Handlers = Readonly<Record<string, Handler | undefined>>;

/**
 * Checks the credential of one scheme. It gets the text after the scheme's name (`http`, `oauth2`,
 * `openIdConnect`), the value of the header, query parameter or cookie (`apiKey`), or an empty string
 * (`mutualTLS`); it is not called if the request has none. It returns the principal. To refuse, return
 * `undefined`, `null` or `false`, or throw `Unauthorized` or an error that defines its own response.
 *
 * @param scopes scopes or roles that the operation requires, if any
 */
export type SecurityHandler<Principal = unknown> = (
  credential: string,
  call: Call,
  scopes: readonly string[],
) => Principal | Promise<Principal>;

/** One handler for each scheme that the document uses. */
export type SecurityHandlers = Readonly<Record<string, SecurityHandler>>;

/** A request listener of `node:http` and Express. */
export type Listener = (
  request: IncomingMessage,
  response: ServerResponse,
  next?: (error?: unknown) => void,
) => void;

/** An operation, and the path parameters of a request for it. */
export interface FoundOperation {
  readonly operationId: string;
  /** As sent, not decoded. */
  readonly path: Readonly<Record<string, string>>;
}

/**
 * Middleware for Express 4 and 5 (`app.use(router)`, before or after a body parser), and a `node:http`
 * listener. Without `next`, the response to an unknown path is 404.
 */
export interface Router extends Listener {
  /**
   * Finds the operation of a request without validating it, for code that needs it in advance, such as a
   * limit per operation. Undefined if there is none for its path and method.
   */
  readonly find: (request: Pick<IncomingMessage, 'method' | 'url'>) => FoundOperation | undefined;
  /**
   * Listener for `server.on('checkContinue', …)`: a client that sent `Expect: 100-continue` gets `100
   * Continue` only when its body will be read. Without it, Node.js requests every body.
   */
  readonly checkContinue: Listener;
}

export type Limits = Required<RequestLimits>;

export type Settings = RouterOptions &
  Required<Pick<RouterOptions, 'responses' | 'onViolation' | 'onError' | 'toResponse'>> & {
    readonly limits: Limits;
  };

/** @throws TypeError for a limit that is not a number of at least 0 */
export function toSettings(options: RouterOptions): Settings {
  return {
    ...options,
    limits: { ...DEFAULT_LIMITS, ...definedOf(options.requests ?? {}) },
    responses: options.responses ?? 'refuse',
    onViolation: options.onViolation ?? warn,
    onError: options.onError ?? print,
    toResponse: options.toResponse ?? toProblem,
  };
}

function definedOf(limits: RequestLimits): RequestLimits {
  const entries = Object.entries(limits).filter(([, value]) => value !== undefined);
  const wrong = entries.find(([, value]) => !(typeof value === 'number' && value >= 0));
  if (wrong) throw new TypeError(`requests.${wrong[0]} must be a number of at least 0.`);
  return Object.fromEntries(entries);
}

function warn({ message }: { message: string }, { operationId }: Call): void {
  process.emitWarning(
    `The response of ${operationId} violates the document: ${message}`,
    'BerthWarning',
  );
}

function print(error: unknown, { operationId }: Call): void {
  process.stderr.write(`${operationId}: ${inspect(error)}\n`);
}

/**
 * A handler by its name. Methods of a class are found, but not members of every object, such as
 * `toString`.
 */
export function functionOf<Kind>(
  handlers: Readonly<Record<string, Kind | undefined>>,
  name: string,
): Kind | undefined {
  const handler = handlers[name];
  const inherited = (Object.prototype as unknown as Record<string, unknown>)[name];
  return typeof handler === 'function' && handler !== inherited ? handler : undefined;
}
