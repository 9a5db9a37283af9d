import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import {
  bodyTooLarge,
  decodeText,
  HttpError,
  notAllowed,
  splitTarget,
  toResponse,
} from '@berth/server-stubs/contract';
import { FileTooLargeError } from '@berth/storage';
import type { Context } from './context.ts';
import type { FaultRule } from './faults/fault-rules.ts';
import { hostNameOf, isLocalName, originOf, toHostHint } from './host.ts';
import { toLoggedRequest } from './log/request-log.ts';
import { type Session, sessionOfQuery } from './sessions/session.ts';
import { toKey } from './sessions/session-files.ts';
import { toCurl } from './shell.ts';
import { INTERNAL_ERROR } from './surfaces/responses.ts';
import { FieldError, isObject, toInteger } from './user-input.ts';

export const CONTROL_PATH = '/__mock';

interface ControlCall {
  readonly context: Context;
  readonly session: Session;
  readonly request: IncomingMessage;
  readonly query: URLSearchParams;
  /** Decoded rest of the path. */
  readonly name: string;
  /** JSON, or the bytes of a file. */
  readonly body: unknown;
}

/**
 * The control API: the operations of `mock.session()` over HTTP, for the session in `X-Mock-Session` or
 * `?session=`. A value is sent as JSON, and undefined as a 204.
 */
const CALLS: Readonly<Record<string, (call: ControlCall) => unknown>> = {
  'GET health': () => ({ status: 'ok' }),
  'POST reset': ({ session }) => session.reset(),
  'GET requests'({ context: { log, options }, session, query, request }) {
    const limit = toInteger(query.get('limit') ?? Number.MAX_SAFE_INTEGER, 1);
    if (limit === undefined) throw new FieldError('limit', 'must be a positive integer.');
    const calls = log.list(session).slice(-limit);
    const origin = originOf(request) ?? '';
    const requests = calls.map((call) => {
      const logged = toLoggedRequest(call, options);
      return { ...logged, curl: toCurl(logged, origin) };
    });
    return { requests };
  },
  'GET sessions': ({ context }) => ({ sessions: context.sessions.names() }),
  'GET clock': ({ session }) => ({ now: session.clock.now().toISOString() }),
  'POST clock'({ session, body }) {
    session.clock.advance(isObject(body) ? (body.advance as number) : Number.NaN);
    return { now: session.clock.now().toISOString() };
  },
  'GET faults': ({ session }) => ({ faults: session.faults.list() }),
  async 'PUT faults/*'({ context, session, name, body }) {
    // The rule may match an operation of a changed document.
    await context.api.refresh();
    return session.faults.put(name, body as FaultRule | string);
  },
  'DELETE faults/*'({ session, name }) {
    if (session.faults.delete(name)) return;
    throw new HttpError('not-found', `There is no fault ${name} in this session.`);
  },
  'GET files': ({ session }) => ({ files: session.files.list() }),
  'GET files/*'({ context, session, name }) {
    const file = session.store.get(toKey(context.options.env, name));
    if (file === undefined) {
      throw new HttpError('not-found', `There is no file ${name} in this session.`);
    }
    const headers = {
      'content-type': file.info.contentType,
      // A stored page must not run on the origin of the control API.
      'content-security-policy': "default-src 'none'; sandbox",
      'content-disposition': 'attachment',
    };
    return new Response(file.bytes, { headers });
  },
  'PUT files/*': ({ session, name, body, request }) =>
    session.files.put(name, body as Buffer, request.headers['content-type']),
};

/** Handles a request for a path at or below `/__mock`. Never rejects. */
export async function control(
  context: Context,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const result = await handle(context, request).catch((error: unknown) => error);
  if (response.destroyed) return;
  const { status, headers, body } = result instanceof Response ? result : toProblem(result);
  const content = Buffer.from(await new Response(body).arrayBuffer());
  // An invalid or aborted request may have ended the response.
  if (response.headersSent) return;
  response.statusCode = status;
  response.setHeaders(headers);
  response.setHeader('cache-control', 'no-store');
  response.setHeader('x-content-type-options', 'nosniff');
  // No other origin may embed these responses.
  response.setHeader('cross-origin-resource-policy', 'same-origin');
  // The rest of a body that is too large is not read.
  if (status === 413) response.setHeader('connection', 'close');
  response.end(content);
}

async function handle(context: Context, request: IncomingMessage): Promise<Response> {
  const { url = '', method: requested = 'GET' } = request;
  const { path: rawPath, query: rawQuery } = splitTarget(url);
  const path = rawPath.slice(CONTROL_PATH.length);
  assertAllowed(request, path, context.options.host);
  const method = requested === 'HEAD' ? 'GET' : requested;
  const page = findPage(path, url);
  if (page !== undefined && method !== 'GET') throw notAllowed(method, ['GET', 'HEAD']);
  if (page !== undefined) return page;
  const [, start = '', rest] = /^\/([^/]*)(?:\/(.*))?$/s.exec(path) ?? [];
  const route = rest === undefined ? start : `${start}/*`;
  const call = CALLS[`${method} ${route}`];
  if (call === undefined) throw unknownCall(method, path.slice(1), route);
  const body = await readBody(request, route === 'files/*' && context.options.maxSessionBytes);
  const { sessions } = context;
  const id = sessionOfQuery(request);
  // A page that shows a misspelled session must not create it, because that could evict another.
  const session = method === 'GET' ? sessions.read(id) : sessions.get(id);
  const name = decodeText(rest ?? '') ?? rest ?? '';
  const query = new URLSearchParams(rawQuery);
  const value = await call({ context, session, name, query, body, request });
  if (value instanceof Response) return value;
  return value === undefined ? new Response(null, { status: 204 }) : Response.json(value);
}

function unknownCall(method: string, path: string, route: string): HttpError {
  const calls = Object.keys(CALLS);
  const methods = calls
    .filter((call) => call.endsWith(` ${route}`))
    .flatMap((call) => (call.startsWith('GET ') ? ['GET', 'HEAD'] : call.split(' ', 1)));
  if (methods.length > 0) return notAllowed(method, methods);
  const message = `The control API has no ${path.slice(0, 100)}: the calls are ${calls.join(', ')}.`;
  return new HttpError('not-found', message);
}

/** Blocks other sites: by name (DNS rebinding), and by the origin that browsers send, unless it is the mock's own. */
function assertAllowed(request: IncomingMessage, path: string, listenHost: string): void {
  if (!isLocalName(hostNameOf(request), listenHost)) {
    throw new HttpError('invalid-request', toHostHint(request), { status: 421 });
  }
  const { headers, method } = request;
  const site = headers['sec-fetch-site'] ?? 'same-origin';
  // A user may open any address, and follow links to the page. A frame with another address could create sessions.
  const isVisit =
    headers['sec-fetch-mode'] === 'navigate' &&
    method === 'GET' &&
    (site === 'none' || path === '' || path === '/');
  const isOtherOrigin = site !== 'same-origin' && !isVisit;
  if (isOtherOrigin || (headers.origin !== undefined && headers.origin !== originOf(request))) {
    const message = 'Pages from other origins may not use the control API.';
    throw new HttpError('invalid-request', message, { status: 403 });
  }
}

const MAX_JSON_BYTES = 1024 * 1024;

/** Returns JSON, undefined if there is none, or the bytes of a file. */
async function readBody(request: IncomingMessage, maxFileBytes: number | false): Promise<unknown> {
  const maxBytes = maxFileBytes || MAX_JSON_BYTES;
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving a plain `for await` loop would destroy the socket before the problem is sent.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > maxBytes) throw bodyTooLarge(maxBytes);
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  if (maxFileBytes) return bytes;
  if (size === 0) return undefined;
  // Other sites can send any other type without a preflight.
  if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) {
    throw new HttpError('unsupported-media-type', 'Send the body as application/json.');
  }
  try {
    return JSON.parse(bytes.toString());
  } catch (error) {
    const reason = (error as Error).message;
    throw new HttpError('invalid-request', `The body is not valid JSON: ${reason}.`);
  }
}

function toProblem(error: unknown): Response {
  const problem = toHttpError(error);
  const { status, body } = problem[toResponse]();
  const headers = { ...problem.headers, 'content-type': 'application/problem+json' };
  return Response.json(body, { status, headers });
}

function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof FieldError) return new HttpError('invalid-request', error.message);
  if (error instanceof FileTooLargeError) return new HttpError('too-large', error.message);
  process.emitWarning(error as Error);
  return new HttpError('handler-failed', INTERNAL_ERROR);
}

/** One folder up in both the source and the build. */
const PAGE_FOLDER = join(import.meta.dirname, '../page');

/** The files of the page, with their media types, by path below `/__mock`. */
const PAGE_FILES: Readonly<Record<string, readonly [file: string, type: string]>> = {
  '/': ['index.html', 'text/html; charset=utf-8'],
  '/main.js': ['main.js', 'text/javascript; charset=utf-8'],
  '/page.css': ['page.css', 'text/css; charset=utf-8'],
};

/** The page shows untrusted text, so it may only run its own script and call its own API. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'",
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "require-trusted-types-for 'script'; trusted-types 'none'",
].join('; ');

/** @returns undefined if the path does not belong to the page */
function findPage(path: string, url: string): Response | undefined {
  if (path === '') {
    const headers = { location: url.replace(/__mock/, '__mock/') };
    return new Response(null, { status: 308, headers });
  }
  const [file, type = ''] = PAGE_FILES[path] ?? [];
  if (file === undefined) return undefined;
  const headers = {
    'content-type': type,
    'content-security-policy': CONTENT_SECURITY_POLICY,
    'referrer-policy': 'no-referrer',
  };
  return new Response(readFileSync(join(PAGE_FOLDER, file)), { headers });
}
