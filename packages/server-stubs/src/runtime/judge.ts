import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { findContent } from './body/media-type.ts';
import { hasBody } from './body/request-stream.ts';
import { createPlans, findBadEncoding, notAllowed } from './create-router.ts';
import { NO_INPUT, readParameters, takeBody } from './exchange.ts';
import { type Fault, FaultError, notFound, toSimpleViolation, type Violation } from './faults.ts';
import { splitTarget } from './matcher.ts';
import { DEFAULT_LIMITS, toSettings } from './options.ts';
import { parseJson } from './parse-json.ts';
import type { Plan } from './plan.ts';
import { checkResponse, contentOf } from './responding/check-response.ts';
import type { Content, RequestBody, RouteTable } from './route-table.ts';

const PARSED = new Set<Content['kind']>(['json', 'form']);

const UNREAD = new Uint8Array();

/** Validates calls that another server handles, such as a service behind a gateway. */
export interface Judge {
  /**
   * Finds the operation of a request, and validates its parameters.
   *
   * @throws FaultError if the document has no such operation, or if a parameter is invalid
   */
  readonly request: (request: JudgedRequest) => JudgedCall;
}

/** The head of a request. */
export interface JudgedRequest {
  readonly method: string;
  /** Path and query, as sent. */
  readonly url: string;
  /** By lowercase name. */
  readonly headers: IncomingHttpHeaders;
}

/** How to validate the body of a message: `read` it first, or leave it `unread`. */
export type BodyPlan = 'none' | 'read' | 'unread';

/**
 * Creates a judge. It ignores the document's security, because the caller has been authenticated.
 *
 * @param maxBytes maximum size of a body in bytes; callers must not pass a larger body
 */
export function createJudge(table: RouteTable, maxBytes: number): Judge {
  const routes = table.routes.map((route) => ({ ...route, security: [] }));
  const options = { requests: { bodyBytes: maxBytes } };
  const matcher = createPlans({ ...table, routes }, {}, options, toSettings(options));
  return {
    request(request) {
      const { path, query } = splitTarget(request.url);
      const match = matcher.find(path);
      const plan = match?.leaf.find(request.method);
      if (match === undefined || plan === undefined) {
        throw new FaultError(match ? notAllowed(request.method, match.leaf) : notFound(path));
      }
      const fault: Fault | undefined = findBadEncoding(plan, match.values);
      if (fault !== undefined) throw new FaultError(fault);
      // Only the headers of a request are read.
      readParameters(plan, { request: request as IncomingMessage, rawQuery: query }, match.values);
      return new JudgedCall(plan, request);
    },
  };
}

/** A call for which the operation has been found. */
export class JudgedCall {
  readonly #plan: Plan;
  readonly #request: JudgedRequest;

  constructor(plan: Plan, request: JudgedRequest) {
    this.#plan = plan;
    this.#request = request;
  }

  get operationId(): string {
    return this.#plan.route.operationId;
  }

  /**
   * Returns how to validate the body of the request.
   *
   * @throws FaultError if the body is missing, or if its media type is not documented
   */
  async body(): Promise<BodyPlan> {
    const { headers } = this.#request;
    const { body } = this.#plan.route;
    if (body === undefined) return 'none';
    if (hasBody(this.#request as IncomingMessage)) {
      const type = headers['content-type'] ?? 'application/octet-stream';
      const found = findContent(body.content, type);
      if (found !== undefined) {
        return PARSED.has(found.kind) && isPlain(headers) ? 'read' : 'unread';
      }
    }
    await this.readBody(Buffer.alloc(0));
    return 'none';
  }

  /**
   * Validates the complete body of the request, of any media type.
   *
   * @returns the value of a JSON or form body; otherwise undefined
   * @throws FaultError if the body is invalid
   */
  async readBody(bytes: Buffer): Promise<unknown> {
    const { readBody, route } = this.#plan;
    const { headers } = this.#request;
    // As if other middleware had already read the body.
    const request = { headers, readableDidRead: true, body: bytes };
    const body = await readBody?.(request as unknown as IncomingMessage);
    if (body === undefined) return undefined;
    const input = { ...NO_INPUT };
    takeBody(input, body, route.body as RequestBody);
    return PARSED.has(body.content.kind) ? input.body : undefined;
  }

  /**
   * Validates the head of a response. If `body` is `read`, the caller must read the body and pass it to
   * `check`.
   */
  response(status: number, headers: IncomingHttpHeaders): JudgedResponse {
    const documented = this.#plan.findResponse(status);
    // Documents rarely list server errors.
    if (documented === undefined && status >= 500) return { body: 'none', check: () => undefined };
    const response = { status, headers: headers as Record<string, string | string[]> };
    const content = documented && contentOf(documented, response);
    const check = (body: unknown) =>
      checkResponse(documented, content, { ...response, body }, undefined);
    const hasContent = documented?.content.length !== 0 && status !== 204 && status !== 304;
    const isSent = hasContent && this.#request.method !== 'HEAD';
    const found = check(hasContent ? UNREAD : undefined);
    // Violations of a body that was not read do not count.
    const head = found?.pointer.startsWith('/body') ? undefined : found;
    if (head !== undefined || content?.kind !== 'json' || !isSent || !isPlain(headers)) {
      return { body: isSent ? 'unread' : 'none', check: () => head };
    }
    return { body: 'read', check: (bytes) => bytes && checkJson(bytes, check) };
  }
}

/** A response whose head has been validated. */
export interface JudgedResponse {
  readonly body: BodyPlan;
  /**
   * Returns the violation of the document, or `undefined` if there is none.
   *
   * @param bytes the body, if `body` is `read` and the body could be read
   */
  readonly check: (bytes?: Buffer) => Violation | undefined;
}

function isPlain(headers: IncomingHttpHeaders): boolean {
  return (headers['content-encoding'] ?? 'identity').toLowerCase() === 'identity';
}

function checkJson(
  bytes: Buffer,
  check: (body: unknown) => Violation | undefined,
): Violation | undefined {
  if (bytes.length === 0) return check(undefined);
  const text = bytes.toString();
  const { problem, value } = parseJson(text, DEFAULT_LIMITS.jsonDepth);
  if (problem === undefined) return check(value);
  try {
    // Values that are nested too deeply, or would be rounded, are not validated.
    JSON.parse(text);
    return undefined;
  } catch {
    const message = 'The body is not valid JSON.';
    return toSimpleViolation('response', '/body', 'syntax', message);
  }
}
