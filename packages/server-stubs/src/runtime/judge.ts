import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { findContent } from './body/media-type.ts';
import { hasBody } from './body/request-stream.ts';
import { createPlans, findBadEncoding, notMatched } from './create-router.ts';
import { readParameters, takeBody } from './exchange.ts';
import { type Fault, FaultError, notFound, type Violation } from './faults.ts';
import { splitTarget } from './matcher.ts';
import { toSettings } from './options.ts';
import { parseJson } from './parse-json.ts';
import type { Plan } from './plan.ts';
import { checkResponse, contentOf } from './responding/check-response.ts';
import type { Content, RequestBody, RouteTable } from './route-table.ts';

const PARSED = new Set<Content['kind']>(['json', 'form']);

/** As in the router's default limits. */
const JSON_DEPTH = 64;

/** Stands for a body that is not read. */
const UNREAD = new Uint8Array();

/** Judges calls that somebody else handles, such as a service behind a gateway. */
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
 * @param maxBytes maximum size of a body in bytes; larger ones are not to be read
 */
export function createJudge(table: RouteTable, maxBytes: number): Judge {
  const routes = table.routes.map((route) => ({ ...route, security: [] }));
  const options = { requests: { bodyBytes: maxBytes } };
  const matcher = createPlans({ ...table, routes }, {}, options, toSettings(options));
  return {
    request(request) {
      const { path, query } = splitTarget(request.url);
      const match = matcher.find(path);
      const plan = match?.leaf.find(request.method, query);
      if (match === undefined || plan === undefined) {
        throw new FaultError(match ? notMatched(request.method, path, match.leaf) : notFound(path));
      }
      const fault: Fault | undefined = findBadEncoding(plan, match.values);
      if (fault !== undefined) throw new FaultError(fault);
      // Only the headers of a request are read.
      readParameters(plan, { request: request as IncomingMessage, rawQuery: query }, match.values);
      return new JudgedCall(plan, request);
    },
  };
}

/** A call whose operation is known. */
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
   * How to judge the body of the request.
   *
   * @throws FaultError if it is missing, or has another media type
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

  /** @throws FaultError if the body is invalid */
  async readBody(bytes: Buffer): Promise<void> {
    const { readBody, route } = this.#plan;
    const { headers } = this.#request;
    // As if other middleware had read it.
    const request = { headers, readableDidRead: true, body: bytes } as unknown as IncomingMessage;
    const body = await readBody?.(request);
    if (body !== undefined) takeBody({ ...NO_INPUT }, body, route.body as RequestBody);
  }

  /** Judges a response by its head; the body follows if it is to be read. */
  response(status: number, headers: IncomingHttpHeaders): JudgedResponse {
    const documented = this.#plan.findResponse(status);
    // Documents rarely list the errors of servers.
    if (documented === undefined && status >= 500) return { body: 'none', check: () => undefined };
    const response = { status, headers: headers as Record<string, string | string[]> };
    const content = documented && contentOf(documented, response);
    const check = (body: unknown) => checkResponse(documented, content, { ...response, body }, []);
    const hasContent = documented?.content.length !== 0 && status !== 204 && status !== 304;
    const isSent = hasContent && this.#request.method !== 'HEAD';
    const head = withoutBody(check(hasContent ? UNREAD : undefined));
    if (head !== undefined || content?.kind !== 'json' || !isSent || !isPlain(headers)) {
      return { body: isSent ? 'unread' : 'none', check: () => head };
    }
    return { body: 'read', check: (bytes) => bytes && checkJson(bytes, check) };
  }
}

/** A response whose head is known. */
export interface JudgedResponse {
  readonly body: BodyPlan;
  /**
   * Returns the violation of the document, if any.
   *
   * @param bytes the body, if it was to be read and could be
   */
  readonly check: (bytes?: Buffer) => Violation | undefined;
}

const NO_INPUT = {
  path: undefined,
  query: undefined,
  header: undefined,
  cookie: undefined,
  contentType: undefined,
  body: undefined,
};

/** Whether a body has no `Content-Encoding`. */
function isPlain(headers: IncomingHttpHeaders): boolean {
  return (headers['content-encoding'] ?? 'identity').toLowerCase() === 'identity';
}

/** Leaves out a violation of a body that was not read. */
function withoutBody(violation: Violation | undefined): Violation | undefined {
  return violation?.pointer.startsWith('/body') ? undefined : violation;
}

function checkJson(
  bytes: Buffer,
  check: (body: unknown) => Violation | undefined,
): Violation | undefined {
  if (bytes.length === 0) return check(undefined);
  const text = bytes.toString();
  const { problem, value } = parseJson(text, JSON_DEPTH);
  if (problem === undefined) return check(value);
  try {
    // What is too deep, or would be rounded, is not judged.
    JSON.parse(text);
    return undefined;
  } catch {
    const message = 'The body is not valid JSON.';
    return { in: 'response', pointer: '/body', keyword: 'syntax', message, schemaPath: '' };
  }
}
