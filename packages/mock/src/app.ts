import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { decodeText, splitTarget } from '@berth/server-stubs/contract';
import { type Listener, type Router, UpgradeResponse } from '@berth/server-stubs/runtime';
import { FILES_PATH } from '@berth/storage';
import { createDownloadListener } from '@berth/storage/node';
import type { Context } from './context.ts';
import { CONTROL_PATH, control } from './control.ts';
import { applyRequestFaults, mayHaveFaults } from './faults/apply-faults.ts';
import type { FaultSubject } from './faults/fault-rules.ts';
import { isForeign, toHostAdvice } from './host.ts';
import { CallRecord, recordOf, setRecord } from './log.ts';
import { type Session, sessionOfHeader, sessionOfQuery } from './session.ts';
import {
  DOCUMENT_UPLOAD_PATH,
  type SurfaceError,
  type SurfaceName,
  toMockError,
  toSurfaceError,
} from './surface.ts';
import { createMockGateway } from './surfaces/gateway.ts';
import { corsOf, sendAllowed, sendError, sendInternalError, toCors } from './surfaces/responses.ts';
import { createMockStorage, createMockUpload } from './surfaces/storage.ts';

type AppRouter = Listener & Pick<Router, 'find'>;

/** Handles each request: its session, log entry, host check and faults, and then the router of its surface or document. */
export function createApp(context: Context) {
  const { options, sessions, contract, document, isStandalone } = context;
  const gateway = createMockGateway(context);
  const routers: Readonly<Record<SurfaceName, AppRouter>> = {
    gateway,
    storage: createMockStorage(context),
    upload: createMockUpload(context),
    link: Object.assign(createLinkListener(context), { find: () => undefined }),
  };
  const cors = corsOf(options, 'link');

  function handle(request: IncomingMessage, response: ServerResponse): void {
    const { path } = splitTarget(request.url ?? '/');
    run(
      () => {
        if (path === CONTROL_PATH || path.startsWith(`${CONTROL_PATH}/`)) {
          return control(context, request, response);
        }
        if (isHome(request, path)) return sendHome(request, response);
        const isRefused = isForeign(request, options);
        const record = begin(request, isStandalone ? 'gateway' : surfaceOf(path), isRefused);
        response.once('close', () => {
          if (response.headersSent) record.status = response.statusCode;
          context.log.end(record);
        });
        if (isRefused) return sendError(toHostError(request), response, options);
        if (document === undefined) return serve(request, response, record);
        return document.use(() => serve(request, response, record));
      },
      (error) => sendInternalError(error, response, options),
    );
  }

  function serve(
    request: IncomingMessage,
    response: ServerResponse,
    record: CallRecord,
  ): void | Promise<void> {
    const added = document && isStandalone ? document.current : contract.findAddition(request);
    if (added !== undefined) record.surface = added.surface;
    const router = added?.router ?? routers[record.surface];
    const allowed = findAllowed(request, router);
    const next = () =>
      allowed ? sendAllowed(allowed, response, options) : router(request, response);
    if (!mayHaveFaults(request, record)) return next();
    const subject = toSubject(record.surface, router, request);
    const send = (error: SurfaceError) => sendError(error, response, options);
    return applyRequestFaults({ request, subject, response, sendError: send }, next);
  }

  /** Returns the methods of a path for a preflight or a wrong method, if a document may allow more than the router. */
  function findAllowed(request: IncomingMessage, router: AppRouter) {
    const { method, url } = request;
    if (isStandalone ? method !== 'OPTIONS' : !contract.isExtended) return undefined;
    if (router.find(request) !== undefined) return undefined;
    const methods = METHODS.filter((each) => {
      const line = { method: each, url };
      return router.find(line) ?? contract.findAddition(line);
    });
    return isStandalone || methods.length > 0 ? methods : undefined;
  }

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // Upgraded sockets have no error listener; a client that disconnects must not end the process.
    socket.on('error', () => {});
    run(
      () => {
        const isRefused = isForeign(request, options);
        const record = begin(request, 'gateway', isRefused);
        socket.once('close', () => context.log.end(record));
        const send = (error: SurfaceError) => {
          const response = UpgradeResponse.create(request, socket, head);
          return response === undefined
            ? void socket.destroy()
            : sendError(error, response, options);
        };
        if (isRefused) return send(toHostError(request));
        const next = () => gateway.upgrade(request, socket, head);
        if (!mayHaveFaults(request, record)) return next();
        const subject = toSubject('gateway', gateway, request);
        return applyRequestFaults({ request, subject, sendError: send }, next);
      },
      (error) => {
        process.emitWarning(error);
        socket.destroy();
      },
    );
  }

  function isHome({ method, url = '' }: IncomingMessage, path: string): boolean {
    if (path !== '/' || (method !== 'GET' && method !== 'HEAD')) return false;
    return !isStandalone || document?.current.router.find({ method: 'GET', url }) === undefined;
  }

  function begin(request: IncomingMessage, surface: SurfaceName, isRefused: boolean): CallRecord {
    // A foreign page must not create sessions, which would drop those of tests.
    const session = isRefused ? sessions.get('') : sessionOf(request, surface);
    const record = new CallRecord(session, surface, request);
    const { origin } = request.headers;
    const isPreflight = request.method === 'OPTIONS' && !isRefused;
    if (isPreflight && origin !== undefined && !cors.allows(origin)) {
      record.setReason(`Pages from ${origin} may not call the mock: add it to origins.`);
    }
    setRecord(request, record);
    context.log.add(record);
    return record;
  }

  /** Browsers submit forms and follow links, but cannot set the header. */
  function sessionOf(request: IncomingMessage, surface: SurfaceName): Session {
    if (surface !== 'upload' && surface !== 'link') return sessions.get(sessionOfHeader(request));
    // Uploads and links are only valid in a session that has created them.
    return sessions.find(sessionOfQuery(request)) ?? sessions.get('');
  }

  function toSubject(
    surface: SurfaceName,
    router: AppRouter,
    request: IncomingMessage,
  ): FaultSubject {
    const { operationId, path } = router.find(request) ?? {};
    // A document may also call one of its parameters `name`.
    const name = router === gateway ? path?.name : undefined;
    return { surface, operationId, service: name && (decodeText(name) ?? name) };
  }

  return {
    request: handle,
    upgrade,
    shouldUpgrade: (request: IncomingMessage) => !isStandalone && gateway.shouldUpgrade(request),
  };
}

const STORAGE_ROOT = '/api';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'];

function createLinkListener({ options }: Context): Listener {
  return createDownloadListener({
    async download(request) {
      const record = recordOf(request);
      const found = await record.session.storage.download(request);
      record.status = found.status;
      return found;
    },
    cors: toCors(options),
    wireProfile: options.wireProfile,
    requestId: (request) => recordOf(request).id,
    onRejected(error, { req }) {
      recordOf(req).setReason(error.message);
    },
    onError: (error) => process.emitWarning(error as Error),
  });
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

/** A typo after `/api` gets an error of the storage API. Everything else belongs to the gateway. */
function surfaceOf(path: string): SurfaceName {
  if (path === DOCUMENT_UPLOAD_PATH) return 'upload';
  if (path.startsWith(`${FILES_PATH}/`)) return 'link';
  return path === STORAGE_ROOT || path.startsWith(`${STORAGE_ROOT}/`) ? 'storage' : 'gateway';
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
