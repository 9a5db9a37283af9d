import type { Call } from './call.ts';
import type { Answer } from './route-table.ts';

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

/** A handler by its name, be it a method of a class, but none that every object has: `toString`. */
export function functionOf<Kind>(
  handlers: Readonly<Record<string, Kind | undefined>>,
  name: string,
): Kind | undefined {
  const handler = handlers[name];
  const inherited = (Object.prototype as unknown as Record<string, unknown>)[name];
  return typeof handler === 'function' && handler !== inherited ? handler : undefined;
}
