import { readFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Context } from '../context.ts';
import { SESSION_PARAMETER, sessionOfQuery } from '../session/session.ts';
import { isOwnHost, originOf } from '../util/host.ts';
import { FieldError, toUnknown } from '../util/values.ts';
import { findEndpoint, Problem, RESPONDED } from './endpoints.ts';
import { createMockSession } from './mock-session.ts';

const HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  // No other origin may embed these responses.
  'cross-origin-resource-policy': 'same-origin',
};

/**
 * Creates the control API, the HTTP counterpart of `mock.session()`, and the page that uses it.
 *
 * @param root base path, such as `/__mock/`
 */
export function createControl(context: Context, root: string): RequestListener {
  return (request, response) => {
    // The connection may break while this is loading.
    if (response.headersSent) return;
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    respond(context, root, request, response).catch((error) =>
      sendProblem(toProblem(error), response),
    );
  };
}

const MAX_JSON_BYTES = 1024 * 1024;

async function respond(
  context: Context,
  root: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  assertAllowed(request, context.options.host);
  const [path = '', search] = (request.url ?? '')
    .replace(/^https?:\/\/[^/]*/i, '')
    .split(/\?(.*)/s);
  const api = `${root}api/`;
  if (!path.startsWith(api)) {
    if (servePage(root, request, response)) return;
    throw new Problem(404, `The mock has no page ${path.slice(0, 100)}: open ${root}.`);
  }
  const { endpoint, params } = findEndpoint(request.method ?? 'GET', path.slice(api.length));
  const query = new URLSearchParams(search);
  assertKnown(query, endpoint.query ?? []);
  const { method, takesBytes = false } = endpoint;
  const hasBody = method === 'PUT' || method === 'POST';
  const body = hasBody ? await readBody(request, takesBytes, context) : undefined;
  const session = createMockSession(context.sessions, sessionOfQuery(request));
  const value = await endpoint.respond({
    context,
    session,
    params,
    query,
    body,
    request,
    response,
  });
  if (value === RESPONDED) return;
  if (value === undefined) response.writeHead(204).end();
  else send(response, 200, 'application/json', value);
}

/** A misspelled parameter would have no effect, and the test would not check what it is meant to. */
function assertKnown(query: URLSearchParams, names: readonly string[]): void {
  const known = [...names, SESSION_PARAMETER];
  for (const name of query.keys()) if (!known.includes(name)) throw toUnknown(name, name, known);
}

function send(response: ServerResponse, status: number, type: string, value: unknown): void {
  const text = JSON.stringify(value);
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(text),
  });
  response.end(response.req.method === 'HEAD' ? undefined : text);
}

/**
 * Blocks access to the control API from other sites.
 *
 * A page may point its own host name at this machine (DNS rebinding), so only names that nobody else can have
 * are accepted: loopback names, the host that the mock listens on, and any IP address if it listens on all
 * interfaces. Browsers also send the origin of a call, and only the mock's own pages may make one.
 *
 * @param listenHost the mock's `host` option
 * @throws Problem 421 for another host, 403 for another origin
 */
function assertAllowed(request: IncomingMessage, listenHost: string): void {
  const origin = originOf(request);
  if (origin === undefined || !isOwnHost(new URL(origin).hostname, listenHost)) {
    throw new Problem(
      421,
      `Call the mock as localhost or by its IP address, not as ${nameOf(request)}.`,
      {
        field: 'Host',
      },
    );
  }
  const { headers, method } = request;
  const site = headers['sec-fetch-site'];
  // Opening this URL or following a link to it is allowed.
  const isVisit = headers['sec-fetch-mode'] === 'navigate' && method === 'GET';
  const isForeign = site !== undefined && site !== 'same-origin' && !isVisit;
  if (isForeign || (headers.origin !== undefined && headers.origin !== origin)) {
    throw new Problem(403, 'Pages from other origins may not use the control API.', {
      field: isForeign ? 'Sec-Fetch-Site' : 'Origin',
    });
  }
}

function nameOf({ headers }: IncomingMessage): string {
  return headers.host === undefined ? 'nothing' : JSON.stringify(headers.host.slice(0, 100));
}

/**
 * Reads a request body: the bytes of a file, or JSON.
 *
 * @returns undefined if there is no body
 * @throws Problem 413, 415 or 400
 */
async function readBody(
  request: IncomingMessage,
  isFile: boolean,
  { options }: Context,
): Promise<unknown> {
  const maxBytes = isFile ? options.maxStoreBytes : MAX_JSON_BYTES;
  const { headers } = request;
  const length = Number(headers['content-length'] ?? 0);
  if (headers['transfer-encoding'] === undefined && length === 0) return undefined;
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  // Other sites can send any other type without a preflight.
  if (!isFile && type !== 'application/json') {
    throw new Problem(415, 'Send the body as application/json.', { field: 'Content-Type' });
  }
  if (length > maxBytes) throw tooLarge(maxBytes);
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving a plain `for await` loop would destroy the socket before the problem is sent.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  if (size === 0) return undefined;
  const bytes = Buffer.concat(chunks);
  if (isFile) return bytes;
  try {
    return JSON.parse(bytes.toString());
  } catch (error) {
    throw new Problem(400, `The body is not valid JSON: ${(error as Error).message}.`);
  }
}

function tooLarge(maxBytes: number): Problem {
  return new Problem(413, `The body exceeds ${maxBytes} bytes.`);
}

function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof FieldError) return new Problem(400, error.message, { field: error.field });
  process.emitWarning(error as Error);
  return new Problem(500, 'Internal error in the mock: see its warnings for details.');
}

function sendProblem(problem: Problem, response: ServerResponse): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  for (const [name, value] of Object.entries(problem.headers)) {
    response.setHeader(name, String(value));
  }
  send(response, problem.status, 'application/problem+json', problem);
}

const FOLDER = join(import.meta.dirname, '../../inspector');

/** The files of the page, with their media types, by path. */
const FILES: Readonly<Record<string, { readonly file: string; readonly type: string }>> = {
  '': { file: 'index.html', type: 'text/html; charset=utf-8' },
  'main.js': { file: 'main.js', type: 'text/javascript; charset=utf-8' },
  'inspector.css': { file: 'inspector.css', type: 'text/css; charset=utf-8' },
};

/** The page shows untrusted bytes, so it may only run its own scripts and call its own API. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  'img-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/**
 * Serves the page that shows a session's calls and files. It only uses the control API, and contacts no other
 * host.
 *
 * @param root base path, such as `/__mock/`
 * @returns whether the path belongs to the page
 */
function servePage(
  root: string,
  { method, url = '' }: IncomingMessage,
  response: ServerResponse,
): boolean {
  const path = url.split('?', 1)[0] as string;
  if (path === root.slice(0, -1)) {
    response.writeHead(308, { location: root }).end();
    return true;
  }
  const name = path.startsWith(root) ? path.slice(root.length) : undefined;
  if (name === undefined || !Object.hasOwn(FILES, name)) return false;
  if (method !== 'GET' && method !== 'HEAD') return false;
  const { file, type } = FILES[name] as { file: string; type: string };
  const body = readFileSync(join(FOLDER, file));
  response
    .writeHead(200, {
      'content-type': type,
      'content-length': body.length,
      'cache-control': 'no-cache',
      'content-security-policy': POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    })
    .end(method === 'HEAD' ? undefined : body);
  return true;
}
