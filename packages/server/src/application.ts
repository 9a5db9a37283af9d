import type { IncomingMessage, ServerResponse } from 'node:http';
import { createGatewayRouter, createStorageRouter, createUploadRouter } from '@berth/server-stubs';
import { createCors, type EnvOption } from '@berth/server-stubs/contract';
import { createStorage, FILES_PATH, UPLOAD_PATH } from '@berth/storage';
import { createDownloadListener, createSigner } from '@berth/storage/node';
import { authorizeUse, createAuthenticator } from './auth/authenticator.ts';
import type { Calls } from './calls.ts';
import type { Config } from './config/config.ts';
import { type Application, toRequestUrl } from './http.ts';
import type { Log } from './log.ts';
import type { Surface } from './metrics.ts';
import type { Resources } from './resources.ts';

type Listener = Application['request'];

export function createApplication(
  config: Config,
  resources: Resources,
  calls: Calls,
  log: Log,
): Application {
  const { cors, wireProfile, limits, environments, publicUrl } = config;
  const { blobs, gateway } = resources;
  const security = createAuthenticator(config, resources);
  const { onError, onResponse, onRefusal } = calls;
  const env = toEnvOption(Object.keys(environments));
  const common = { cors, wireProfile, onResponse, onError };
  const onStorageError = (error: unknown, requestId: string) =>
    log.error({ requestId, err: error }, 'storage failed');

  // 1. The gateway: callers are authenticated here, and `gateway` calls the hosted service.
  const gatewayRouter = createGatewayRouter(gateway.handlers, {
    ...common,
    env,
    security: security.gateway,
    // A large body is kept in a file.
    signedBodies: 'handler',
    requests: { streamBytes: limits.gatewayBodyBytes },
  });

  // 2. The storage API. It issues the grants and links that the other two surfaces accept.
  const { storage, upload, download } = createStorage({
    blobs,
    signer: createSigner(config.keys.map(({ secret }) => Buffer.from(secret))),
    bucketOf: (name) =>
      Object.hasOwn(environments, name) ? environments[name]?.bucket : undefined,
    publicUrl: publicUrl?.replace(/(?<!\/)\/+$/, '') ?? toRequestUrl,
    limits,
    wireProfile,
    authorizeUse: (use) => authorizeUse(use, resources),
    onChange: (change) => log.info({ audit: true, ...change }, `file ${change.action}`),
    onError: onStorageError,
  });
  const storageRouter = createStorageRouter(storage, {
    ...common,
    env,
    security: security.storage,
    batchItems: limits.batchItems,
    requests: { bodyBytes: limits.storageBodyBytes },
  });

  // 3. The upload target: a grant is the credential.
  const uploadRouter = createUploadRouter(upload, { ...common, fileBytes: limits.uploadBytes });

  // 4. Downloads: the signature of a link is the credential.
  const linkCors = createCors('link', wireProfile, cors);
  const links = createDownloadListener({
    download,
    cors: linkCors,
    onRefusal,
    onError: onStorageError,
  });

  const requests: Readonly<Record<Surface, Listener>> = {
    gateway: gatewayRouter,
    storage: storageRouter,
    upload: mount(UPLOAD_PATH, uploadRouter),
    files: (request, response) => void links(request, response),
  };
  const continues: Readonly<Record<Surface, Listener>> = {
    gateway: gatewayRouter.checkContinue,
    storage: storageRouter.checkContinue,
    upload: mount(UPLOAD_PATH, uploadRouter.checkContinue),
    files: requests.files,
  };
  const begin = (request: IncomingMessage, response: ServerResponse): Surface => {
    const path = toOriginForm(request.url ?? '/');
    const surface = surfaceOf(path);
    // The routers of both APIs read the host of an absolute target.
    if (surface === 'upload' || surface === 'files') request.url = path;
    calls.begin(surface, path, request, response);
    return surface;
  };
  return {
    request(request, response) {
      requests[begin(request, response)](request, response);
    },
    checkContinue(request, response) {
      continues[begin(request, response)](request, response);
    },
    upgrade(request, socket, head) {
      calls.beginUpgrade(toOriginForm(request.url ?? '/'), request);
      gatewayRouter.upgrade(request, socket, head);
    },
    shouldUpgrade: gatewayRouter.shouldUpgrade,
    cors: createCors('gateway', wireProfile, cors),
  };
}

/** RFC 9112, section 3.2.2: "a server MUST accept the absolute-form in requests". */
function toOriginForm(url: string): string {
  return url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '');
}

/** Returns the surface for a path. The gateway gets every path that belongs to no other surface. */
function surfaceOf(url: string): Surface {
  if (url.startsWith('/v1/')) return 'gateway';
  const path = `${url.split('?', 1)[0]}/`;
  if (path.startsWith('/api/v2/')) return 'storage';
  if (path.startsWith(`${UPLOAD_PATH}/`)) return 'upload';
  return path.startsWith(`${FILES_PATH}/`) ? 'files' : 'gateway';
}

function mount(prefix: string, listener: Listener): Listener {
  return (request, response) => {
    const rest = (request.url ?? '/').slice(prefix.length);
    request.url = rest.startsWith('/') ? rest : `/${rest}`;
    listener(request, response);
  };
}

/** D12: "a server with a single environment also accepts any loopback host". */
function toEnvOption(names: readonly string[]): EnvOption {
  if (names.length === 1) return names[0] as string;
  const known = new Set(names);
  return (name) => known.has(name);
}
