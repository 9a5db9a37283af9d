import type { IncomingMessage, ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import type { Call } from './call.ts';
import { type Fault, toProblem, type Violation } from './faults.ts';
import type { Answer } from './route-table.ts';

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
  /** A handler for each security scheme that the document uses. Default: none, which throws if any is used. */
  readonly security?: SecurityHandlers;
  readonly requests?: RequestLimits;
  /**
   * What happens to an answer that the document does not allow: `refuse` sends 500 instead, `log`
   * sends it after `onViolation`, `pass` sends it unjudged, which is fastest. Default `refuse`.
   */
  readonly responses?: 'refuse' | 'log' | 'pass';
  /** Hears of each answer that breaks the document. Default: a warning of the process. */
  readonly onViolation?: (violation: Violation, call: Call) => void;
  /**
   * Hears of each error that is answered with 500, and of each stream of a body that fails while it is
   * sent. Default: prints it to standard error.
   */
  readonly onError?: (error: unknown, call: Call) => void;
  /**
   * Hears of each answer just before it is sent, for logs and metrics: the call knows its operation and
   * its request id. Must not throw. Default: nobody listens.
   */
  readonly onAnswer?: (answer: Answer, call: Call) => void;
  /**
   * Hears of each fault that the router answers in place of a handler, before it has its shape. What it
   * returns is answered instead, so that a message can be put in other words. Must not throw. Default:
   * nobody listens.
   */
  readonly onFault?: (fault: Fault, call: Call) => Fault | undefined;
  /** Gives a fault its shape. Default: `application/problem+json` (RFC 9457). */
  readonly toAnswer?: (fault: Fault, call: Call) => Answer;
  /**
   * Identifier of a call that has one already; `undefined` for a new one. It has to be fit for a header.
   * Default: a new UUID for each call.
   */
  readonly requestId?: (request: IncomingMessage) => string | undefined;
  /** Headers of every answer, such as a request id; those of the answer itself win. */
  readonly headers?: (call: Call) => Readonly<Record<string, string>>;
  /** By operationId. An operation that is not deprecated in the document throws. */
  readonly deprecations?: Readonly<Record<string, Deprecation>>;
}

/** What a request may cost at most. Beyond: 413, 414 (path, query) or 431 (headers). */
export interface RequestLimits {
  /** Bytes of a body that is held in memory: JSON, text, form. Default 1 MiB. */
  readonly bodyBytes?: number;
  /** Bytes of a body that is a stream: multipart, binary, pass-through. Default: no limit. */
  readonly streamBytes?: number;
  /** Bytes of all names and values of headers. Default: only Node's own limit, 16 KiB. */
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

/** Announced on every answer of an operation that the document marks `deprecated`. */
export interface Deprecation {
  /** When it became deprecated (`Deprecation`, RFC 9745). */
  readonly since: Date;
  /** When it may stop to work (`Sunset`, RFC 8594). */
  readonly sunset?: Date;
  /** Page that explains it (`Link` with `rel="deprecation"`). */
  readonly link?: string;
}

/** What a handler is given; parts that the operation does not have are `undefined`. */
export interface Input {
  /** Each part is keyed by the names of the document, in its own spelling; its prototype is null. */
  readonly path: Readonly<Record<string, unknown>> | undefined;
  readonly query: Readonly<Record<string, unknown>> | undefined;
  readonly header: Readonly<Record<string, unknown>> | undefined;
  readonly cookie: Readonly<Record<string, unknown>> | undefined;
  /** Media type of the document that the body has; `undefined` without a body. */
  readonly contentType: string | undefined;
  /**
   * JSON: the value. Text: a string. Form: an object, null prototype. Multipart: a `MultipartStream`.
   * Binary and pass-through operations: a `Readable`.
   */
  readonly body: unknown;
}

/** Handles one operation. Generated code narrows both types. */
// biome-ignore lint/suspicious/noExplicitAny: a handler of narrower input must be assignable
export type Handler = (input: any, call: Call<any>) => Answer | Promise<Answer>;

/** Handlers by operationId; an operation without one is answered with 501. */
export type Handlers = Readonly<Record<string, Handler | undefined>>;

/**
 * Judges the credential of one scheme. It gets the text after the scheme's name (`http`, `oauth2`,
 * `openIdConnect`), the value of the header, query parameter or cookie (`apiKey`), or an empty text
 * (`mutualTLS`); it is not asked where the request has none. It returns the principal; `undefined`,
 * `null` and `false` refuse, and so does throwing `Unauthorized` or an error that knows its answer.
 *
 * @param scopes scopes or roles that the operation asks for; empty where it names none
 */
export type SecurityHandler<Principal = unknown> = (
  credential: string,
  call: Call,
  scopes: readonly string[],
) => Principal | Promise<Principal>;

/** One handler for each scheme that the document uses. */
export type SecurityHandlers = Readonly<Record<string, SecurityHandler>>;

/** What `node:http` and Express call for each request. */
export type Listener = (
  request: IncomingMessage,
  response: ServerResponse,
  next?: (error?: unknown) => void,
) => void;

/** An operation, and the path parameters of a request for it. */
export interface FoundOperation {
  readonly operationId: string;
  /** As they came, nothing decoded. */
  readonly path: Readonly<Record<string, string>>;
}

/**
 * Middleware for Express 4 and 5 (`app.use(router)`, before or after a body parser), and a listener of
 * `node:http`. Without `next`, a path that the document does not have is answered with 404.
 */
export interface Router extends Listener {
  /**
   * The operation that a request is for, before anything of it is judged: for what has to know it
   * beforehand, such as a limit by operation. Undefined where there is none of its path and method.
   */
  readonly find: (request: Pick<IncomingMessage, 'method' | 'url'>) => FoundOperation | undefined;
  /**
   * Listener for `server.on('checkContinue', …)`: a client that sent `Expect: 100-continue` is asked
   * for its body only when that will be read. Without it Node asks for the body of every request.
   */
  readonly checkContinue: Listener;
}

export type Limits = Required<RequestLimits>;

/** The options of a router with all defaults. */
export type Settings = RouterOptions &
  Required<Pick<RouterOptions, 'responses' | 'onViolation' | 'onError' | 'toAnswer'>> & {
    readonly limits: Limits;
  };

/** @throws TypeError for a limit that is no number of at least 0 */
export function toSettings(options: RouterOptions): Settings {
  return {
    ...options,
    limits: { ...DEFAULT_LIMITS, ...definedOf(options.requests ?? {}) },
    responses: options.responses ?? 'refuse',
    onViolation: options.onViolation ?? warn,
    onError: options.onError ?? print,
    toAnswer: options.toAnswer ?? toProblem,
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
    `The answer of ${operationId} breaks the document: ${message}`,
    'BerthWarning',
  );
}

function print(error: unknown, { operationId }: Call): void {
  process.stderr.write(`${operationId}: ${inspect(error)}\n`);
}

/** A handler by its name, be it a method of a class, but none that every object has: `toString`. */
export function functionOf<Kind>(
  handlers: Readonly<Record<string, Kind | undefined>>,
  name: string,
): Kind | undefined {
  const handler = handlers[name];
  const inherited = (Object.prototype as unknown as Record<string, unknown>)[name];
  return typeof handler === 'function' && handler !== inherited ? handler : undefined;
}
