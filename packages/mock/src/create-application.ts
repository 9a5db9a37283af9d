import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Router } from '@berth/server-stubs';
import type { Auth } from './auth/auth.ts';
import type { Backend } from './backend.ts';
import type { Context } from './context.ts';
import { createOwnPages, isOwnPage } from './create-own-pages.ts';
import { doFaults } from './faults/do-faults.ts';
import { doUpgradeFaults } from './faults/do-upgrade-faults.ts';
import { FAULT_HEADER } from './faults/due-faults.ts';
import type { FaultSubject } from './faults/fault-rules.ts';
import type { FaultedCall } from './faults/faulted-call.ts';
import { createGateway } from './gateway/create-gateway.ts';
import { answerFailure } from './http/answer-broken.ts';
import { rawPathOf } from './http/raw-path.ts';
import { CallRecord } from './record/call-record.ts';
import { recordAnswer } from './record/record-answer.ts';
import type { RecordedRequest } from './record/recorded-request.ts';
import { findHostRefusal, isFromBrowser } from './refusals/find-host-refusal.ts';
import { sendOwnRefusal } from './refusals/send-own-refusal.ts';
import { createRedactor } from './requests/create-redactor.ts';
import { corsOf } from './router-options.ts';
import { sessionOfHeader, sessionOfQuery } from './session/session-name.ts';
import { takeSessionProtocol } from './session/take-session-protocol.ts';
import { createStorage } from './storage/create-storage.ts';
import type { SurfaceName } from './surface-name.ts';
import { createSurfaceOf } from './surface-of.ts';
import { createLinkListener } from './upload/create-links.ts';
import { createUpload } from './upload/create-upload.ts';

/** Listeners for the events of an HTTP server. */
export interface Application {
  readonly request: RequestListener;
  readonly checkContinue: RequestListener;
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  readonly shouldUpgrade: (request: IncomingMessage) => boolean;
}

type Listeners = Readonly<Record<'request' | 'checkContinue', Router['checkContinue']>>;

/**
 * Leads each call to its session and its surface. Made anew for each wire profile; it has no state.
 *
 * @param backend answers in place of the mock itself
 */
export function createApplication(context: Context, auth: Auth, backend?: Backend): Application {
  const gateway = createGateway(context, auth);
  const storage = createStorage(context, auth);
  const upload = createUpload(context);
  const link = createLinkListener(context);
  const routers = { gateway, storage, upload };
  const own: Readonly<Record<SurfaceName, Listeners>> = {
    gateway: { request: gateway, checkContinue: gateway.checkContinue },
    storage: { request: storage, checkContinue: storage.checkContinue },
    upload: { request: upload, checkContinue: upload.checkContinue },
    link: { request: link, checkContinue: link },
  };
  const listeners = backend?.listeners ?? own;
  const open = backend?.upgrade ?? gateway.upgrade;
  const cors = {
    gateway: corsOf(context, 'gateway'),
    storage: corsOf(context, 'storage'),
    upload: corsOf(context, 'upload'),
    link: corsOf(context, 'link'),
  };
  const surfaceOf = createSurfaceOf(context.operations);
  const redactor = createRedactor(context.profile);
  const ownPages = createOwnPages(context);

  function begin(request: IncomingMessage, surface: SurfaceName): CallRecord {
    // A form and a link are followed by whoever has their address, and by browsers without headers.
    const isFollowed = surface === 'upload' || surface === 'link';
    const name = isFollowed ? sessionOfQuery(request) : sessionOfHeader(request);
    const record = new CallRecord(context.sessions.get(name), surface, request, redactor);
    (request as RecordedRequest).record = record;
    auth.prepare?.(request);
    return record;
  }

  const to =
    (event: 'request' | 'checkContinue') =>
    (request: IncomingMessage, response: ServerResponse): void => {
      const surface = surfaceOf(rawPathOf(request.url ?? '/'));
      const fail = (error: Error) => answerFailure(error, surface, response);
      attempt(() => {
        if (isOwnPage(request.url ?? '/')) return ownPages(request, response);
        const record = begin(request, surface);
        recordAnswer(response, record);
        const refusal = isFromBrowser(request)
          ? findHostRefusal(request, context.options)
          : undefined;
        if (refusal !== undefined) {
          return sendOwnRefusal(refusal, surface, context, request, response);
        }
        const listener = listeners[surface][event];
        if (!hasFaults(record, request)) return listener(request, response);
        // What waits goes on in a turn of its own.
        const next = () => attempt(() => listener(request, response), fail);
        return doFaults({ ...toFaulted(record, request), response }, next);
      }, fail);
    };

  function toFaulted(record: CallRecord, request: IncomingMessage): FaultedCall {
    const { surface, session } = record;
    return {
      request,
      rules: session.faults,
      subject: () => toSubject(surface, request, routers),
      cors: cors[surface],
      profile: context.profile,
      requestId: () => record.id || randomUUID(),
      // What answers in place of the mock gives the identifier itself.
      begin: () => {
        if (backend === undefined) record.begin(randomUUID());
      },
      note(names, { operationId, service }) {
        record.faults = [...record.faults, ...names];
        record.operationId = operationId;
        record.service = service;
        record.matched = surface === 'link' || operationId !== undefined;
      },
    };
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
        const next = () => attempt(() => open(request, socket, head), fail);
        socket.once('close', () => record.finish(record.status, ''));
        if (!hasFaults(record, request)) return next();
        return doUpgradeFaults({ ...toFaulted(record, request), socket }, next);
      }, fail);
    },
    shouldUpgrade: gateway.shouldUpgrade,
  };
}

/** What goes wrong with one request, in whatever unforeseen way, ends that request and not the process. */
function attempt(answer: () => unknown, fail: (error: Error) => void): void {
  try {
    const done = answer();
    if (done instanceof Promise) done.catch(fail);
  } catch (error) {
    fail(error as Error);
  }
}

const FAULT_NAME = FAULT_HEADER.toLowerCase();

/** Whether anything but the routers has to look at a call; most have no faults, and are asked for none. */
function hasFaults({ session }: CallRecord, { headers }: IncomingMessage): boolean {
  return !session.faults.isEmpty || headers[FAULT_NAME] !== undefined;
}

function toSubject(
  surface: SurfaceName,
  request: IncomingMessage,
  routers: Readonly<Record<Exclude<SurfaceName, 'link'>, Router>>,
): FaultSubject {
  const found = surface === 'link' ? undefined : routers[surface].find(request);
  return { surface, operationId: found?.operationId, service: decode(found?.path.name) };
}

function decode(name: string | undefined): string | undefined {
  try {
    return name && decodeURIComponent(name);
  } catch {
    return name;
  }
}
