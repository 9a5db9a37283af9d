import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { decodeText, splitTarget } from '@berth/server-stubs/contract';
import { UpgradeResponse } from '@berth/server-stubs/runtime';
import type { Context } from './context.ts';
import { CONTROL_PATH, control } from './control.ts';
import { applyRequestFaults, mayHaveFaults } from './faults/apply-faults.ts';
import { isForeign, toHostAdvice } from './host.ts';
import { CallRecord, recordOf, setRecord } from './log.ts';
import { type Session, sessionOfHeader, sessionOfQuery } from './sessions/session.ts';
import { type SurfaceError, type SurfaceName, toMockError, toSurfaceError } from './surface.ts';
import { corsOf, sendAllowed, sendError, sendInternalError } from './surfaces/responses.ts';
import type { Target } from './target.ts';

type Found = ReturnType<Target['find']>;

/** Handles each request: its session, log entry, host check and faults, and then the router that the target finds. */
export function createApp(context: Context) {
  const { options, sessions, log, target } = context;
  const cors = corsOf(options, 'link');

  function handle(request: IncomingMessage, response: ServerResponse): void {
    const { path } = splitTarget(request.url ?? '/');
    run(
      () => {
        if (path === CONTROL_PATH || path.startsWith(`${CONTROL_PATH}/`)) {
          return control(context, request, response);
        }
        return target.use(() => serve(request, response, path));
      },
      (error) => sendInternalError(error, response, options),
    );
  }

  function serve(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
  ): void | Promise<void> {
    const found = target.find(request);
    const { surface, router } = found;
    const isHome = path === '/' && ['GET', 'HEAD'].includes(request.method ?? '');
    if (isHome && router.find(request) === undefined) {
      return sendHome(request, response);
    }
    const isRejected = isForeign(request, options);
    const record = begin(request, surface, isRejected);
    response.once('close', () => {
      if (response.headersSent) record.setStatus(response.statusCode);
      log.end(record);
    });
    if (isRejected) return sendError(toHostError(request), response, options);
    const methods = target.findMethods(request);
    const next = () =>
      methods ? sendAllowed(methods, response, options) : router(request, response);
    if (!mayHaveFaults(request, record)) return next();
    const subject = toFaultSubject(found, request);
    const send = (error: SurfaceError) => sendError(error, response, options);
    return applyRequestFaults({ request, subject, response, sendError: send }, next);
  }

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // Upgraded sockets have no error listener; a client that disconnects must not end the process.
    socket.on('error', () => {});
    const router = target.gateway;
    if (router === undefined) return void socket.destroy();
    run(
      () => {
        const isRejected = isForeign(request, options);
        const record = begin(request, 'gateway', isRejected);
        socket.once('close', () => log.end(record));
        const send = (error: SurfaceError) => {
          const response = UpgradeResponse.create(request, socket, head);
          if (response === undefined) return void socket.destroy();
          return sendError(error, response, options);
        };
        if (isRejected) return send(toHostError(request));
        const next = () => router.upgrade(request, socket, head);
        if (!mayHaveFaults(request, record)) return next();
        const subject = toFaultSubject({ surface: 'gateway', router }, request);
        return applyRequestFaults({ request, subject, sendError: send }, next);
      },
      (error) => {
        process.emitWarning(error);
        socket.destroy();
      },
    );
  }

  function begin(request: IncomingMessage, surface: SurfaceName, isRejected: boolean): CallRecord {
    // A foreign page must not create sessions, which would drop those of tests.
    const session = isRejected ? sessions.get('') : sessionOf(request, surface);
    const record = new CallRecord(session, surface, request);
    const { origin } = request.headers;
    const isPreflight = request.method === 'OPTIONS' && !isRejected;
    if (isPreflight && origin !== undefined && !cors.allows(origin)) {
      record.setReason(`Pages from ${origin} may not call the mock: add it to origins.`);
    }
    setRecord(request, record);
    log.add(record);
    return record;
  }

  /** Browsers submit forms and follow links, but cannot set the header. */
  function sessionOf(request: IncomingMessage, surface: SurfaceName): Session {
    if (surface !== 'upload' && surface !== 'link') return sessions.get(sessionOfHeader(request));
    // Uploads and links are only valid in a session that has created them.
    return sessions.find(sessionOfQuery(request)) ?? sessions.get('');
  }

  /** Returns what fault rules match. */
  function toFaultSubject({ surface, router }: Found, request: IncomingMessage) {
    const { operationId, path } = router.find(request) ?? {};
    // A document may also call one of its parameters `name`.
    const name = router === target.gateway ? path?.name : undefined;
    return { surface, operationId, service: name && (decodeText(name) ?? name) };
  }

  return {
    request: handle,
    upgrade,
    shouldUpgrade: (request: IncomingMessage) => target.gateway?.shouldUpgrade(request) ?? false,
  };
}

function toHostError(request: IncomingMessage): SurfaceError {
  const { surface } = recordOf(request);
  const details = { status: 421, message: toHostAdvice(request) };
  if (surface === 'gateway') return toSurfaceError(surface, 'INVALID_HOST', details);
  return toMockError(surface, 'invalid-request', details);
}

/** An unexpected error must end its request, not the process. */
function run(task: () => void | Promise<void>, onError: (error: Error) => void): void {
  try {
    const done = task();
    if (done instanceof Promise) done.catch(onError);
  } catch (error) {
    onError(error as Error);
  }
}

/** A browser gets the page; a program that waits for the mock gets a line. */
function sendHome({ method, headers }: IncomingMessage, response: ServerResponse): void {
  if (headers.accept?.includes('text/html')) {
    response.writeHead(302, { location: `${CONTROL_PATH}/` }).end();
    return;
  }
  response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(method === 'HEAD' ? undefined : `Berth mock. Log and files: ${CONTROL_PATH}\n`);
}
