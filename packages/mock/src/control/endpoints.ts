import type { IncomingMessage, ServerResponse } from 'node:http';
import { contract } from '@berth/server-stubs';
import type { Context } from '../context.ts';
import type { FaultRule } from '../faults/fault-rules.ts';
import { toUnknown } from '../faults/parse-fault.ts';
import { toKey } from '../files/file-store.ts';
import { toLoggedJson } from '../session/logged-json.ts';
import type { LoggedRequest } from '../session/request-log.ts';
import { readPackageInfo } from '../util/package-info.ts';
import { FieldError, isObject, suggest } from '../util/values.ts';
import { type ClockChange, changeClock, toClockState } from './change-clock.ts';
import type { MockSession, SessionPart } from './mock-session.ts';
import { Problem } from './problem.ts';
import { MAX_SNAPSHOT_BYTES, type SessionSnapshot } from './snapshot.ts';

interface ControlCall {
  readonly context: Context;
  readonly session: MockSession;
  /** Decoded values of `{name}` in the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
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
  /** Maximum body size. Default 1 MiB. */
  readonly maxBodyBytes?: number;
  /**
   * @returns the JSON to send; undefined for 204; `RESPONDED` if the endpoint has already sent a response
   * @throws Problem, or FieldError for 400
   */
  respond(call: ControlCall): unknown;
}

/** Returned by an endpoint that has already sent the response itself. */
export const RESPONDED = Symbol('responded');

/**
 * A reader that falls this far behind is disconnected. It reconnects with the ID of the last call it
 * received.
 */
const MOST_BUFFERED = 8 * 1024 * 1024;

const HEARTBEAT_MILLISECONDS = 15_000;

/** All control API endpoints. The first match wins. */
export const endpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: 'health',
    respond({ context: { options, url, sessions, services, profile }, session }) {
      const { env, mode, auth, seed } = options;
      const { storageHeaders, uploadFields, storeFileID } = profile;
      return {
        version: readPackageInfo().version,
        url,
        env,
        mode,
        auth,
        seed,
        wireProfile: profile.name,
        names: { storageHeaders, uploadFields, storeFileID },
        contract: Object.fromEntries(
          Object.entries(contract.documents).map(([name, { version }]) => [name, version]),
        ),
        services: services.names(),
        session: session.id,
        sessions: sessions.list().map(({ id }) => id),
      };
    },
  },
  {
    method: 'POST',
    path: 'reset',
    respond({ session, body = {} }) {
      const { only } = toFields(body, ['only']);
      session.reset({ only: only as readonly SessionPart[] | undefined });
    },
  },
  { method: 'GET', path: 'snapshot', respond: ({ session }) => session.snapshot() },
  {
    method: 'POST',
    path: 'restore',
    // Base64 encodes three bytes as four characters; the extra mebibyte is for everything else.
    maxBodyBytes: Math.ceil(MAX_SNAPSHOT_BYTES / 3) * 4 + 1024 * 1024,
    respond({ session, body }) {
      session.restore(body as SessionSnapshot);
    },
  },
  { method: 'GET', path: 'faults', respond: ({ session }) => ({ faults: session.faults.list() }) },
  {
    method: 'PUT',
    path: 'faults/{name}',
    respond: ({ session, params: { name = '' }, body }) =>
      session.faults.put(name, body as FaultRule | string),
  },
  { method: 'DELETE', path: 'faults', respond: ({ session }) => session.faults.clear() },
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
    respond({ context, session, body }) {
      const { clock } = context.sessions.get(session.id);
      changeClock(clock, toFields(body, ['now', 'advance', 'frozen']) as ClockChange);
      return toClockState(clock);
    },
  },
  { method: 'DELETE', path: 'clock', respond: ({ session }) => session.clock.reset() },
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
  { method: 'GET', path: 'requests/stream', respond: streamRequests },
  {
    method: 'GET',
    path: 'requests/{id}',
    respond({ context, session, params: { id = '' } }) {
      const logged = context.sessions.get(session.id).requests.get(id);
      if (logged !== undefined) return toLoggedJson(logged);
      throw new Problem(404, 'The log has no call with this X-Request-Id.', { field: 'id' });
    },
  },
  {
    method: 'DELETE',
    path: 'requests',
    respond: ({ session }) => session.reset({ only: ['requests'] }),
  },
  { method: 'GET', path: 'files', respond: ({ session }) => ({ files: session.files.list() }) },
  { method: 'GET', path: 'files/{path*}', respond: sendFile },
  {
    method: 'DELETE',
    path: 'files/{path*}',
    respond({ session, params: { path = '' } }) {
      if (!session.files.delete(path)) throw toMissing(path);
    },
  },
  {
    method: 'GET',
    path: 'services',
    respond: ({ context, session }) => ({
      services: session.services.list(),
      faults: context.services.faults(),
    }),
  },
  {
    method: 'PUT',
    path: 'services/{name}/state',
    respond({ session, params: { name = '' }, body }) {
      const { code, for: duration } = toFields(body, ['code', 'for']);
      const options = duration === undefined ? {} : { for: duration as string };
      session.services.setState(name, code as string, options);
    },
  },
  {
    method: 'DELETE',
    path: 'services/{name}/state',
    respond: ({ session, params: { name = '' } }) => session.services.clearState(name),
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

/**
 * Sends each new or changed call as a server-sent event with the call's ID. A client that reconnects with
 * `Last-Event-ID` gets all calls since then.
 */
function streamRequests({ context, session, request, response }: ControlCall) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(':\n\n');
  const send = (logged: LoggedRequest) => {
    response.write(`id: ${logged.id}\ndata: ${JSON.stringify(toLoggedJson(logged))}\n\n`);
    if (response.writableLength > MOST_BUFFERED) response.destroy();
  };
  const { requests } = context.sessions.get(session.id);
  const last = request.headers['last-event-id'];
  if (last !== undefined) {
    const known = requests.list();
    // If the log no longer has that call, every call in it is newer.
    for (const logged of known.slice(known.findIndex(({ id }) => id === last) + 1)) send(logged);
  }
  const stop = requests.listen(send);
  const heartbeat = setInterval(() => response.write(':\n\n'), HEARTBEAT_MILLISECONDS).unref();
  response.once('close', () => {
    stop();
    clearInterval(heartbeat);
  });
  return RESPONDED;
}

function toFlag(value: string | null): boolean {
  if (value === null || value === 'false') return false;
  if (value === 'true') return true;
  throw new FieldError('unmatched', 'must be true or false.');
}

function sendFile({ context, session, params: { path = '' }, request, response }: ControlCall) {
  const file = context.sessions.get(session.id).files.get(toKey(path));
  if (file === undefined) throw toMissing(path);
  const bytes = file.content.bytes();
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

function toMissing(path: string): Problem {
  return new Problem(404, `There is no file ${path} in this session.`, { field: 'path' });
}
