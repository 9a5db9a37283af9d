import {
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Context } from '../context.ts';
import type { FaultRule } from '../faults/fault-rules.ts';
import { toLoggedJson } from '../session/request-log.ts';
import { readPackageInfo } from '../util/package-info.ts';
import { FieldError, isObject, suggest, toUnknown } from '../util/values.ts';
import type { ClockChange, MockSession } from './mock-session.ts';

interface ControlCall {
  readonly context: Context;
  readonly session: MockSession;
  /** Decoded values of `{name}` in the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** JSON, or bytes if the endpoint accepts any type. */
  readonly body: unknown;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface Endpoint {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** Path below the API; `{name}` matches one segment, `{name*}` the rest. */
  readonly path: string;
  /** Allowed query parameters besides `session`. Default: none. */
  readonly query?: readonly string[];
  /** Whether the body is a file and not JSON. */
  readonly takesBytes?: true;
  /**
   * @returns the JSON to send; undefined for 204; `RESPONDED` if the endpoint has already sent a response
   * @throws Problem, or FieldError for 400
   */
  respond(call: ControlCall): unknown;
}

/** Returned by an endpoint that has already sent the response itself. */
export const RESPONDED = Symbol('responded');

/** All control API endpoints. The first match wins. */
const endpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: 'health',
    respond: ({ context: { options, url, sessions } }) => ({
      version: readPackageInfo().version,
      url,
      env: options.env,
      sessions: sessions.list().map(({ id }) => id),
    }),
  },
  { method: 'POST', path: 'reset', respond: ({ session }) => session.reset() },
  { method: 'GET', path: 'faults', respond: ({ session }) => ({ faults: session.faults.list() }) },
  {
    method: 'PUT',
    path: 'faults/{name}',
    respond: ({ session, params: { name = '' }, body }) =>
      session.faults.put(name, body as FaultRule | string),
  },
  {
    method: 'DELETE',
    path: 'faults/{name}',
    respond({ session, params: { name = '' } }) {
      if (session.faults.delete(name)) return;
      const known = session.faults.list().map((rule) => rule.name);
      const hint =
        known.length === 0 ? 'no faults are set' : `the current ones are ${known.join(', ')}`;
      throw new Problem(404, `There is no fault with this name: ${hint}.`, { field: 'name' });
    },
  },
  { method: 'GET', path: 'clock', respond: ({ session }) => session.clock.state() },
  {
    method: 'PUT',
    path: 'clock',
    respond: ({ session, body }) =>
      session.clock.set(toFields(body, ['now', 'advance', 'frozen']) as ClockChange),
  },
  {
    method: 'GET',
    path: 'requests',
    query: ['unmatched', 'limit'],
    respond({ session, query }) {
      const unmatched = toFlag(query.get('unmatched'));
      const limit = query.get('limit');
      const requests = session.requests({
        unmatched,
        limit: limit === null ? undefined : Number(limit),
      });
      return { requests: requests.map(toLoggedJson) };
    },
  },
  { method: 'GET', path: 'files', respond: ({ session }) => ({ files: session.files.list() }) },
  { method: 'GET', path: 'files/{path*}', respond: sendFile },
  {
    method: 'PUT',
    path: 'files/{path*}',
    takesBytes: true,
    respond({ session, params: { path = '' }, body = Buffer.alloc(0), request }) {
      if (session.files.put(path, body as Buffer, request.headers['content-type'])) return;
      throw new Problem(413, 'The file does not fit: reset the session, or raise maxStoreBytes.');
    },
  },
];

/**
 * Finds the endpoint for a call. HEAD is handled as GET without a body.
 *
 * @param path below the API, as received
 * @throws Problem 404 or 405
 */
export function findEndpoint(method: string, path: string) {
  const wanted = method === 'HEAD' ? 'GET' : method;
  const allowed = new Set<string>();
  for (const endpoint of endpoints) {
    const params = match(endpoint.path.split('/'), path.split('/'));
    if (params === undefined) continue;
    if (endpoint.method === wanted) return { endpoint, params };
    allowed.add(endpoint.method);
  }
  if (allowed.size > 0) {
    const allow = [...allowed].join(', ');
    throw new Problem(405, `Use ${allow}, not ${method}.`, { headers: { allow } });
  }
  const known = [...new Set(endpoints.map((endpoint) => endpoint.path))];
  const hint = suggest(path, known, ' do you mean', ` the endpoints are ${known.join(', ')}`);
  throw new Problem(404, `The control API has no ${path.slice(0, 100) || 'empty path'}:${hint}`);
}

function match(
  template: readonly string[],
  segments: readonly string[],
): Record<string, string> | undefined {
  const params: Record<string, string> = Object.create(null);
  for (const [index, part] of template.entries()) {
    const [, name, rest] = /^\{(\w+)(\*?)\}$/.exec(part) ?? [];
    const given = rest === '*' ? segments.slice(index).join('/') : segments[index];
    if (name === undefined ? given !== part : given === undefined || given === '') return undefined;
    if (name !== undefined) params[name] = decode(given as string);
    if (rest === '*') return params;
  }
  return template.length === segments.length ? params : undefined;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Problem(400, `The path has invalid percent-encoding: ${text.slice(0, 100)}.`);
  }
}

/**
 * Returns the fields of a body. Rejects misspelled fields, which would otherwise have no effect.
 *
 * @throws FieldError for a body that is not an object, and for an unknown field
 */
function toFields<const Name extends string>(
  body: unknown,
  names: readonly Name[],
): { readonly [Field in Name]?: unknown } {
  if (!isObject(body)) {
    throw new FieldError('The body', `must be a JSON object with ${names.join(', ')}.`);
  }
  for (const name of Object.keys(body)) {
    if (!names.includes(name as Name)) throw toUnknown(name, name, names);
  }
  return body as { readonly [Field in Name]?: unknown };
}

function toFlag(value: string | null): boolean {
  if (value === null || value === 'false') return false;
  if (value === 'true') return true;
  throw new FieldError('unmatched', 'must be true or false.');
}

function sendFile({ session, params: { path = '' }, request, response }: ControlCall) {
  const bytes = session.files.read(path);
  const file = session.files.list().find((one) => one.path === path.replace(/^\//, ''));
  if (bytes === undefined || file === undefined) {
    throw new Problem(404, `There is no file ${path} in this session.`, { field: 'path' });
  }
  response.writeHead(200, {
    'content-type': file.contentType,
    'content-length': bytes.length,
    etag: file.etag,
    // A stored page must not run on the control API's origin.
    'content-security-policy': "default-src 'none'; sandbox",
    'content-disposition': 'attachment',
  });
  response.end(request.method === 'HEAD' ? undefined : bytes);
  return RESPONDED;
}

/** Ends a control API call with problem details (RFC 9457). */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  readonly field: string | undefined;
  readonly headers: OutgoingHttpHeaders;

  /** @param detail what is wrong and how to fix it */
  constructor(
    status: number,
    detail: string,
    { field, headers = {} }: { field?: string; headers?: OutgoingHttpHeaders } = {},
  ) {
    super(detail);
    this.status = status;
    this.field = field;
    this.headers = headers;
  }

  toJSON() {
    const { status, message, field } = this;
    return { type: 'about:blank', title: STATUS_CODES[status], status, detail: message, field };
  }
}
