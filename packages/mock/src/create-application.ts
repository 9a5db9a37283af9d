import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Router } from '@berth/server-stubs';
import type { Auth } from './auth/auth.ts';
import type { Context } from './context.ts';
import { createGateway } from './gateway/create-gateway.ts';
import { rawPathOf } from './http/raw-path.ts';
import { CallRecord } from './record/call-record.ts';
import type { RecordedRequest } from './record/recorded-request.ts';
import { sessionOfHeader, sessionOfQuery } from './session/session-name.ts';
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

/** Leads each call to its session and its surface. Made anew for each wire profile; it has no state. */
export function createApplication(context: Context, auth: Auth): Application {
  const gateway = createGateway(context, auth);
  const storage = createStorage(context, auth);
  const upload = createUpload(context);
  const link = createLinkListener(context);
  const routers: Readonly<Record<Exclude<SurfaceName, 'link'>, Router>> = {
    gateway,
    storage,
    upload,
  };
  const surfaceOf = createSurfaceOf(context.operations);
  const secrets = secretsOf(context);

  function begin(request: IncomingMessage): CallRecord {
    const surface = surfaceOf(rawPathOf(request.url ?? '/'));
    // A form and a link are followed by whoever has their address, and by browsers without headers.
    const isFollowed = surface === 'upload' || surface === 'link';
    const name = isFollowed ? sessionOfQuery(request) : sessionOfHeader(request);
    const record = new CallRecord(context.sessions.get(name), surface, request, secrets);
    (request as RecordedRequest).record = record;
    auth.prepare?.(request);
    return record;
  }

  const to =
    (event: 'request' | 'checkContinue') =>
    (request: IncomingMessage, response: ServerResponse): void => {
      const record = begin(request);
      // A client that goes away leaves an answer that never ends.
      response.once('close', () => record.finish(response));
      const { surface } = record;
      if (surface === 'link') return link(request, response as never);
      const router = routers[surface];
      return event === 'request'
        ? router(request, response)
        : router.checkContinue(request, response);
    };

  return {
    request: to('request'),
    checkContinue: to('checkContinue'),
    upgrade(request, socket, head) {
      const record = begin(request);
      socket.once('close', () => record.close(0, {}));
      gateway.upgrade(request, socket, head);
    },
    shouldUpgrade: gateway.shouldUpgrade,
  };
}

/** Headers whose values are nobody's business. */
function secretsOf({ profile: { storageHeaders } }: Context): ReadonlySet<string> {
  const own = [storageHeaders.authorization, storageHeaders.sessionToken];
  return new Set(
    ['authorization', 'cookie', 'sec-websocket-protocol', ...own].map((name) => name.toLowerCase()),
  );
}
