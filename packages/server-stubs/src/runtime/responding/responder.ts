import type { ServerResponse } from 'node:http';
import type { Call } from '../call.ts';
import { createNullObject, findContent, headerOf } from '../decoding.ts';
import {
  type ErrorWithResponse,
  HttpError,
  hasResponse,
  toResponse,
  toViolation,
  type Violation,
} from '../faults.ts';
import type { Settings } from '../options.ts';
import type { Plan } from '../plan.ts';
import type { Content, DocumentedResponse, HandlerResponse } from '../route-table.ts';
import {
  type Head,
  type HeaderSource,
  isBytes,
  isStream,
  toWireType,
  type WireBody,
  writeResponse,
} from './write-response.ts';

/** Names and codes of errors that streams and signals throw once the client has disconnected. */
const DISCONNECTS = new Set([
  'AbortError',
  'ABORT_ERR',
  'ECONNRESET',
  'ERR_STREAM_PREMATURE_CLOSE',
]);
const LAST_RESORT = JSON.stringify({ title: 'Internal Server Error', status: 500 });

export class Responder {
  readonly #call: Call;
  readonly #plan: Plan | undefined;
  readonly #settings: Settings;

  /** @param plan `undefined` if no operation was found */
  constructor(call: Call, plan: Plan | undefined, settings: Settings) {
    this.#call = call;
    this.#plan = plan;
    this.#settings = settings;
  }

  respond(result: HandlerResponse): void {
    const plan = this.#plan as Plan;
    const { response } = this.#call;
    if (response.headersSent) return;
    if (!(result?.status >= 200 && result.status <= 599)) {
      throw new TypeError(`The handler for ${plan.route.operationId} did not return a response.`);
    }
    const { responses } = this.#settings;
    const own = this.#settings.headers?.(this.#call);
    if (plan.route.passThrough) {
      // Unchanged: no content type is added, and strings are not serialized.
      const head = this.#toHead(result, own, undefined);
      this.#write(result, head, result.body as WireBody);
      return;
    }
    const documented = plan.findResponse(result.status);
    const content = documented && contentOf(documented, result);
    if (responses === 'check') {
      const violation = checkResponse(documented, content, result, own);
      if (violation !== undefined) {
        this.#settings.onViolation(violation, this.#call);
        discard(result.body);
        const message = 'The server produced a response that the contract does not allow.';
        this.error(new HttpError('invalid-response', message, { cause: violation }));
        return;
      }
    }
    this.#send(result, content, own, undefined);
  }

  error(error: unknown): void {
    const { response } = this.#call;
    if (isDisconnect(error, this.#call)) return;
    if (response.headersSent) {
      this.#report(error);
      response.destroy();
      return;
    }
    let known = error;
    if (!hasResponse(error)) {
      this.#report(error);
      known = new HttpError('handler-failed', 'Internal server error.', { cause: error });
    }
    try {
      this.#sendError(known as ErrorWithResponse);
    } catch (failure) {
      this.#lastResort(failure);
    }
  }

  #sendError(error: ErrorWithResponse): void {
    const { onFault, toError, headers: common } = this.#settings;
    let converted = error;
    let required: HeaderSource;
    if (error instanceof HttpError) {
      const fault = onFault?.(error, this.#call) ?? error;
      converted = toError?.(fault, this.#call) ?? fault;
      required = fault.headers;
    }
    const result = converted[toResponse](this.#call);
    const challenge = result.status === 401 ? this.#plan?.challenge : undefined;
    const own = { ...common?.(this.#call), 'www-authenticate': challenge };
    this.#send(result, undefined, own, required);
  }

  #send(
    result: HandlerResponse,
    content: Content | undefined,
    own: HeaderSource,
    last: HeaderSource,
  ): void {
    const { encodeBody } = this.#settings;
    const body = encodeBody === undefined ? result.body : encodeBody(result.body);
    const head = this.#toHead(result, own, last);
    if (body !== undefined) head['content-type'] ??= toWireType(result, content);
    this.#write(result, head, body === undefined ? undefined : toWire(body, content));
  }

  #write(result: HandlerResponse, head: Head, body: WireBody): void {
    try {
      writeResponse(this.#call, result.status, head, body, {
        onHead: () => this.#settings.onResponse?.(result, this.#call),
        onError: (error) => this.#report(error),
      });
    } catch (error) {
      discard(body);
      throw error;
    }
  }

  #toHead({ headers }: HandlerResponse, own: HeaderSource, last: HeaderSource): Head {
    const head = createNullObject() as Head;
    for (const source of [last, headers, own]) {
      for (const name in source) {
        const value = source[name];
        if (value !== undefined) head[name.toLowerCase()] ??= value;
      }
    }
    return head;
  }

  #report(error: unknown): void {
    try {
      this.#settings.onError(error, this.#call);
    } catch {
      // A failing log must not affect the response.
    }
  }

  #lastResort(error: unknown): void {
    this.#report(error);
    sendLastResort(this.#call.response);
  }
}

function toWire(body: unknown, content: Content | undefined): WireBody {
  if (isBytes(body)) return body;
  if (typeof body === 'string' && content?.kind !== 'json') return body;
  return JSON.stringify(body);
}

function discard(body: unknown): void {
  if (!isStream(body)) return;
  if (body instanceof ReadableStream) void body.cancel().catch(() => {});
  else body.once('error', () => {}).destroy();
}

/** Returns whether an error only means that the client disconnected. */
function isDisconnect(error: unknown, { request, response }: Call): boolean {
  const isGone = response.destroyed || (request.destroyed && !request.complete);
  if (!isGone || !(error instanceof Error)) return false;
  return (
    DISCONNECTS.has(error.name) || DISCONNECTS.has((error as NodeJS.ErrnoException).code ?? '')
  );
}

/** If formatting a fault failed as well. */
function sendLastResort(response: ServerResponse): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  for (const name of response.getHeaderNames()) response.removeHeader(name);
  response.writeHead(500, {
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(LAST_RESORT),
    connection: 'close',
  });
  response.end(LAST_RESORT);
}

/** Selected by its `contentType` if set, then by its `Content-Type` header, and otherwise the first. */
function contentOf(
  { content }: DocumentedResponse,
  response: HandlerResponse,
): Content | undefined {
  if (response.contentType !== undefined) {
    return findContent(content, response.contentType);
  }
  const header = response.headers && headerOf(response.headers, 'content-type');
  return header === undefined ? content[0] : findContent(content, header);
}

/** @param common headers that are sent with every response */
function checkResponse(
  documented: DocumentedResponse | undefined,
  content: Content | undefined,
  response: HandlerResponse,
  common: Readonly<Record<string, string>> | undefined,
): Violation | undefined {
  const { status, headers, body } = response;
  if (documented === undefined) {
    return violate('/status', 'status', `The status ${status} is not documented.`);
  }
  for (const name of documented.requiredHeaders ?? []) {
    const known = [headers, common].some((some) => some && headerOf(some, name) !== undefined);
    if (!known) return violate(`/headers/${name}`, 'required', `The ${name} header is missing.`);
  }
  if (status === 204 || status === 304) {
    return body === undefined
      ? undefined
      : violate('/body', 'body', `A ${status} response must not have a body.`);
  }
  if (body === undefined) {
    if (documented.content.length === 0) return undefined;
    return violate('/body', 'required', `The ${status} response must have a body.`);
  }
  if (content === undefined) {
    return documented.content.length === 0
      ? violate(
          '/body',
          'body',
          `The ${status} response must not have a body, because none is documented.`,
        )
      : violate(
          '/headers/content-type',
          'contentType',
          `The media type is not documented for ${status}.`,
        );
  }
  return checkBody(content, body);
}

function checkBody({ kind, mediaType, validate }: Content, body: unknown): Violation | undefined {
  if (kind === 'json') {
    if (isBytes(body))
      return violate(
        '/body',
        'type',
        `The ${mediaType} body must be a JavaScript value, not bytes.`,
      );
    if (validate === undefined || validate(body)) return undefined;
    return toViolation(validate.errors, 'response', 'response', '/body');
  }
  if (isBytes(body)) return undefined;
  if (typeof body !== 'string') {
    return violate('/body', 'type', `The ${mediaType} body must be a string, bytes or a stream.`);
  }
  if (kind !== 'text' || validate === undefined || validate(body)) return undefined;
  return toViolation(validate.errors, 'response', 'response', '/body');
}

function violate(pointer: string, keyword: string, message: string): Violation {
  return { in: 'response', pointer, keyword, message };
}
