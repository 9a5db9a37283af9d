import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { HttpError, splitTarget } from '@berth/server-stubs/contract';
import { UpgradeResponse } from '@berth/server-stubs/runtime';
import { beginCall, MockCall, type MockResponse } from './call.ts';
import type { Context } from './context.ts';
import { CONTROL_PATH, control } from './control.ts';
import { FAULT_HEADER, type FaultRule } from './faults/fault-rules.ts';
import { hasForeignHost, toHostHint } from './host.ts';
import type { MatchedCall } from './served-api.ts';
import { type Session, sessionOfHeader, sessionOfQuery } from './sessions/session.ts';
import { type SurfaceError, type SurfaceName, toErrorWithCode, toSurfaceError } from './surface.ts';
import { corsOf, sendError } from './surfaces/responses.ts';

/** The request and the response of a call that no router has seen yet. */
interface Exchange {
  readonly request: IncomingMessage;
  /** Undefined for an upgrade. */
  readonly response?: MockResponse;
}

/** Handles each call: its session, log entry, host check and faults, and then the listener of the API. */
export function createApp(context: Context) {
  const { options, sessions, log, api } = context;

  async function handle(request: IncomingMessage, response: MockResponse): Promise<void> {
    const { path } = splitTarget(request.url ?? '/');
    try {
      if (path === CONTROL_PATH || path.startsWith(`${CONTROL_PATH}/`)) {
        return control(context, request, response);
      }
      const matched = (await api.refresh()).match(request);
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      if (path === '/' && isRead && matched.operationId === undefined) {
        return sendHome(request, response);
      }
      await run({ request, response }, matched, () => matched.listener(request, response));
    } catch (error) {
      // An unexpected error must end its request, not the process.
      sendError(error, response, api.current.options);
    }
  }

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    // Upgraded sockets have no error listener; a client that disconnects must not end the process.
    socket.on('error', () => {});
    // Node does this for other connections when the client has closed its side.
    const endSocket = () => socket.end();
    socket.once('end', endSocket);
    // `handle` reads a changed document first. `shouldUpgrade` cannot wait for that, and has just used this version.
    const served = api.current;
    const next = () => {
      socket.off('end', endSocket);
      served.gateway?.upgrade(request, socket, head);
    };
    try {
      const matched: MatchedCall = { ...served.match(request), surface: 'gateway' };
      await run({ request }, matched, next);
    } catch (error) {
      const response = UpgradeResponse.create(request, socket, head);
      if (response !== undefined) sendError(error, response, api.current.options);
    }
  }

  /** Applies the faults of a call, and then calls `next`. @throws SurfaceError to respond with */
  async function run(exchange: Exchange, matched: MatchedCall, next: () => void | Promise<void>) {
    const { request } = exchange;
    const { surface, operationId } = matched;
    const isForeign = hasForeignHost(request, options.host, options.origins ?? []);
    // A foreign page must not create sessions, because that could evict a test's session.
    const session = isForeign ? sessions.get('') : sessionOf(request, surface);
    const call = new MockCall(session, matched, request);
    startCall(exchange, call);
    // The caller may have disconnected while a changed document was read.
    if (call.ms !== undefined) return;
    if (isForeign) throw toHostError(request, surface);
    const isPreflight = request.method === 'OPTIONS' && operationId === undefined;
    // If a preflight had faults, the browser would not send the actual request.
    return isPreflight ? next() : applyFaults(call, exchange, next);
  }

  /** Logs a call, which ends when its connection closes. */
  function startCall({ request, response }: Exchange, call: MockCall): void {
    beginCall(request, call);
    log.add(call);
    const connection = response ?? request.socket;
    const end = () => {
      call.end(response);
      const { origin } = request.headers;
      if (origin !== undefined && !corsOf(options, call.surface).allows(origin)) {
        const fix = 'add this origin to the option origins (--origins)';
        call.setReason(`Pages from ${origin} may not read the response: ${fix}.`);
      }
      log.print(call);
    };
    if (connection.destroyed) end();
    else connection.once('close', end);
  }

  /** Browsers submit forms and follow links, but cannot set the header. */
  function sessionOf(request: IncomingMessage, surface: SurfaceName): Session {
    if (surface !== 'upload' && surface !== 'link') return sessions.get(sessionOfHeader(request));
    // Uploads and links are only valid in a session that has created them.
    return sessions.find(sessionOfQuery(request)) ?? sessions.get('');
  }

  return {
    request: handle,
    upgrade,
    shouldUpgrade: (request: IncomingMessage) =>
      api.current.gateway?.shouldUpgrade(request) ?? false,
  };
}

/** Applies the faults of the header or of the session, and calls `next` unless one of them has ended the call. */
async function applyFaults(call: MockCall, exchange: Exchange, next: () => void | Promise<void>) {
  const { session, surface } = call;
  const { request, response } = exchange;
  const header = request.headers[FAULT_HEADER.toLowerCase()]?.toString();
  const effects = session.faults.selectEffects(call, header);
  if (effects.length === 0) return next();
  const disconnected = new AbortController();
  const { signal } = disconnected;
  (response ?? request.socket).once('close', () => disconnected.abort());
  // A body may be short, so a fault that cuts it is counted when it does.
  for (const { kind, rule } of effects) {
    if (!('maxBodyBytes' in kind)) countFault(call, rule);
  }
  for (const { kind, value, rule } of effects) {
    if ('endCall' in kind) return kind.endCall(value, request, surface);
    if ('delay' in kind) await kind.delay(value, signal);
    else response?.truncate(kind.maxBodyBytes(value), () => countFault(call, rule));
    if (signal.aborted) return;
  }
  // During a delay, an invalid or aborted request may have ended the call.
  if (!response?.headersSent) await next();
}

/** Counts and logs a fault rule, once for each call. Returns false if other calls have used it up. */
function countFault({ session, faults }: MockCall, rule: FaultRule): boolean {
  if (faults.includes(rule.name)) return true;
  const isLeft = session.faults.count(rule);
  if (isLeft) faults.push(rule.name);
  return isLeft;
}

function toHostError(request: IncomingMessage, surface: SurfaceName): SurfaceError {
  const details = { status: 421, message: toHostHint(request, ', or add its origin to --origins') };
  const { code } = toSurfaceError(surface, new HttpError('invalid-request', ''));
  return toErrorWithCode(surface, surface === 'gateway' ? 'INVALID_HOST' : code, details);
}

/** A browser gets the page; other clients get plain text. */
function sendHome({ headers }: IncomingMessage, response: ServerResponse): void {
  if (headers.accept?.includes('text/html')) {
    return void response.writeHead(302, { location: `${CONTROL_PATH}/` }).end();
  }
  response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(`Berth mock. Log and files: ${CONTROL_PATH}\n`);
}
