import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Router } from '@berth/server-stubs';
import { UpgradeResponse } from '@berth/server-stubs/runtime';
import type { WireProfile } from '@berth/spec/wire-profile';
import { FILES_PATH } from '@berth/storage';
import { createDownloadListener } from '@berth/storage/node';
import type { Context } from './context.ts';
import { operations } from './contract/contract.ts';
import {
  DOCUMENT_UPLOAD_PATH,
  type Refusal,
  type SurfaceName,
  sendRefusal,
} from './contract/surface.ts';
import { applyRequestFaults } from './faults/fault-request.ts';
import type { FaultSubject } from './faults/fault-rules.ts';
import {
  CallRecord,
  type RecordedRequest,
  type RecordedResponse,
  recordOf,
} from './session/call-record.ts';
import { createRedactor } from './session/redactor.ts';
import { sessionOfHeader, sessionOfQuery, takeSessionProtocol } from './session/session.ts';
import type { Auth } from './surfaces/auth/auth.ts';
import { createDocumentSurface } from './surfaces/document.ts';
import { createGateway } from './surfaces/gateway.ts';
import { refuseForeignHost } from './surfaces/host-refusal.ts';
import { type Application, respondToFailure } from './surfaces/http-server.ts';
import { corsOf } from './surfaces/router-options.ts';
import { createStorage, createUpload } from './surfaces/storage.ts';
import { rawPathOf } from './util/host.ts';
import { decodeText } from './util/values.ts';

/**
 * Creates the application, which routes each call to its session and its surface. The application is
 * stateless.
 */
export function createApplication(context: Context, auth: Auth): Application {
  const isDocument = context.options.document !== undefined;
  const gateway = isDocument ? createDocumentSurface(context) : createGateway(context, auth);
  const storage = createStorage(context, auth);
  const upload = createUpload(context);
  const link = createDownloadListener({
    download: (request) => recordOf(request).session.storage.download(request),
    cors: corsOf(context, 'link'),
    requestId: (request) => recordOf(request).id || undefined,
    onError: (error) => process.emitWarning(error as Error),
  });
  const routers = { gateway, storage, upload };
  const cors = {
    gateway: corsOf(context, 'gateway'),
    storage: corsOf(context, 'storage'),
    upload: corsOf(context, 'upload'),
    link: corsOf(context, 'link'),
  };
  const surfaceOf = isDocument ? () => 'gateway' as const : createSurfaceOf();
  const redactor = createRedactor(context.profile);
  const ownPages = createOwnPages(context);

  function begin(request: IncomingMessage, surface: SurfaceName): CallRecord {
    // Browsers submit forms and follow links, but cannot set the header.
    const isFollowed = surface === 'upload' || surface === 'link';
    const name = isFollowed ? sessionOfQuery(request) : sessionOfHeader(request);
    const record = new CallRecord(context.sessions.get(name), surface, request, redactor);
    (request as RecordedRequest).record = record;
    return record;
  }

  function handle(
    event: 'request' | 'checkContinue',
    surface: SurfaceName,
    request: IncomingMessage,
    response: ServerResponse,
  ): unknown {
    if (surface === 'link') return link(request, response);
    const router = routers[surface];
    if (event === 'checkContinue') return router.checkContinue(request, response);
    return router(request, response);
  }

  const to =
    (event: 'request' | 'checkContinue') =>
    (request: IncomingMessage, response: ServerResponse): void => {
      const surface = surfaceOf(rawPathOf(request.url ?? '/'));
      const fail = (error: Error) => respondToFailure(error, surface, response, context.profile);
      attempt(() => {
        if (isOwnPage(request.url ?? '/')) return ownPages(request, response);
        if (surface === 'upload' && asksForPage(request)) {
          return response.writeHead(302, { location: `${OWN_ROOT}/` }).end();
        }
        const record = begin(request, surface);
        (response as RecordedResponse).record = record;
        if (refuseForeignHost(request, surface, context, response)) return;
        const next = () => handle(event, surface, request, response);
        return applyFaults(record, request, response, () => response, next);
      }, fail);
    };

  /** @param toResponse creates the response when it is needed */
  function applyFaults(
    record: CallRecord,
    request: IncomingMessage,
    response: ServerResponse | undefined,
    toResponse: () => ServerResponse | undefined,
    next: () => unknown,
  ): unknown {
    const { surface, session } = record;
    const isOver = applyRequestFaults({
      request,
      response,
      rules: session.faults,
      identify: () => toSubject(surface, request, routers),
      note(names, { operationId, service }) {
        record.faults = [...record.faults, ...names];
        record.operationId = operationId;
        record.service = service;
        record.matched = surface === 'link' || operationId !== undefined;
      },
      refuse(error) {
        const headers = {
          ...cors[surface].response(request.headers.origin),
          ...(error.status === 401 && { 'www-authenticate': toChallenge(error, context.profile) }),
        };
        const created = toResponse();
        // An earlier call on the connection is in progress, so an upgrade cannot get a response.
        if (created === undefined) request.destroy();
        else sendRefusal(error, created, context.profile, headers, record.id || undefined);
      },
    });
    if (typeof isOver === 'boolean') return isOver ? undefined : next();
    return isOver.then((over) => (over ? undefined : next()));
  }

  return {
    request: to('request'),
    checkContinue: to('checkContinue'),
    upgrade(request, socket, head) {
      const fail = (error: Error) => {
        process.emitWarning(error);
        socket.destroy();
      };
      attempt(() => {
        takeSessionProtocol(request);
        const record = begin(request, surfaceOf(rawPathOf(request.url ?? '/')));
        const next = () => gateway.upgrade(request, socket, head);
        socket.once('close', () => record.finish(record.status, ''));
        const response = () => UpgradeResponse.create(request, socket, head);
        return applyFaults(record, request, undefined, response, next);
      }, fail);
    },
    shouldUpgrade: gateway.shouldUpgrade,
  };
}

/** RFC 9110, section 15.5.2: a 401 "MUST send a WWW-Authenticate header field". */
function toChallenge({ name }: Refusal, { storageHeaders }: WireProfile): string {
  return name === 'StorageError'
    ? `ApiKey realm="mock", in="header", name="${storageHeaders.authorization}"`
    : 'Bearer realm="mock"';
}

/** Path for the mock's own page and the control API. */
const OWN_ROOT = '/__mock';

function isOwnPage(target: string): boolean {
  if (!target.startsWith(OWN_ROOT)) return false;
  const next = target[OWN_ROOT.length];
  return next === undefined || next === '/' || next === '?';
}

function asksForPage({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.accept?.includes('text/html') === true;
}

/** Handles the mock's own pages, which are loaded on the first request. */
function createOwnPages(
  context: Context,
): (...given: Parameters<RequestListener>) => Promise<void> {
  let loaded: Promise<RequestListener> | undefined;
  return async (request, response) => {
    loaded ??= load(context);
    (await loaded)(request, response);
  };
}

async function load(context: Context): Promise<RequestListener> {
  const { createControl } = await import('./control/create-control.ts');
  return createControl(context, `${OWN_ROOT}/`);
}

/** An unexpected error must end its request, not the process. */
function attempt(respond: () => unknown, fail: (error: Error) => void): void {
  try {
    const done = respond();
    if (done instanceof Promise) done.catch(fail);
  } catch (error) {
    fail(error as Error);
  }
}

function toSubject(
  surface: SurfaceName,
  request: IncomingMessage,
  routers: Readonly<Record<Exclude<SurfaceName, 'link'>, Router>>,
): FaultSubject {
  const found = surface === 'link' ? undefined : routers[surface].find(request);
  const name = found?.path.name;
  return { surface, operationId: found?.operationId, service: name && decodeText(name) };
}

/**
 * Determines the surface of a raw path. Everything under the storage API's prefix belongs to the storage API,
 * so that a typo in the rest of the path gets an error in its format. Everything else belongs to the gateway.
 */
function createSurfaceOf(): (path: string) => SurfaceName {
  const storageRoots = new Set(
    operations.filter(({ surface }) => surface === 'storage').map(({ path }) => firstSegment(path)),
  );
  return (path) => {
    if (path === DOCUMENT_UPLOAD_PATH) return 'upload';
    if (path.startsWith(`${FILES_PATH}/`)) return 'link';
    return storageRoots.has(firstSegment(path)) ? 'storage' : 'gateway';
  };
}

function firstSegment(path: string): string {
  const end = path.indexOf('/', 1);
  return path.slice(1, end < 0 ? undefined : end);
}
