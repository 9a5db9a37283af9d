import {
  createGatewayRouter,
  createStorageRouter,
  createUploadRouter,
  type GatewayRouter,
  type Router,
  UploadError,
} from '@berth/server-stubs';
import { createCors, type EnvOption } from '@berth/server-stubs/contract';
import { createStorage, type SignedUse, UPLOAD_PATH } from '@berth/storage';
import { createDownloadListener, createSigner } from '@berth/storage/node';
import type { Observer } from './calls.ts';
import type { Config } from './config/config.ts';
import type { Log } from './log.ts';
import type { Surface } from './metrics.ts';
import type { State } from './state.ts';
import { toPublicUrl } from './urls.ts';

export interface Application extends Pick<GatewayRouter, 'upgrade' | 'shouldUpgrade'> {
  readonly surfaces: Readonly<
    Record<Surface, { readonly request: Router; readonly checkContinue: Router['checkContinue'] }>
  >;
}

interface ApplicationParts {
  readonly state: State;
  readonly observer: Observer;
  readonly log: Log;
}

/**
 * Creates the application from the routers, the storage API and the state. A new application is created
 * for each configuration, but `state` is kept.
 */
export function createApplication(config: Config, parts: ApplicationParts): Application {
  const { state, observer, log } = parts;
  const { cors, wireProfile, limits, environments, publicUrl, listen } = config;
  const { onError, onResponse } = observer;
  const shared = { cors, wireProfile, onResponse, onError };
  const env = toEnvOption(Object.keys(environments));

  const onStorageError = (error: unknown, requestId: string) =>
    log.error({ requestId, err: error }, 'storage failed');
  const { storage, upload, download } = createStorage({
    blobs: state.blobs,
    signer: createSigner(config.keys.map(({ secret }) => Buffer.from(secret))),
    bucketOf: (name) =>
      Object.hasOwn(environments, name) ? environments[name]?.bucket : undefined,
    publicUrl: publicUrl?.replace(/(?<!\/)\/+$/, '') ?? toPublicUrl(listen.trustProxy),
    limits,
    wireProfile: () => wireProfile,
    authorizeUse: (use) => authorizeUse(use, config, state),
    onChange: (change) => log.info({ audit: true, ...change }, `file ${change.action}`),
    onError: onStorageError,
  });
  const gateway = createGatewayRouter(state.gateway.handlers, {
    ...shared,
    env,
    security: state.gatewaySecurity,
    // A large body is kept in a file.
    signedBodies: 'handler',
    requests: { streamBytes: limits.gatewayBodyBytes },
  });
  const storageRouter = createStorageRouter(storage, {
    ...shared,
    env,
    security: state.storageSecurity,
    batchItems: limits.batchItems,
    requests: { bodyBytes: limits.storageBodyBytes },
  });
  const uploadRouter = createUploadRouter(upload, { ...shared, fileBytes: limits.uploadBytes });
  const files = createDownloadListener({
    download,
    cors: createCors('link', wireProfile, cors),
    onRefusal: observer.onRefusal,
    onError: onStorageError,
  }) as unknown as Router;
  const both = (router: Router) => ({ request: router, checkContinue: router.checkContinue });
  return {
    surfaces: {
      gateway: both(gateway),
      storage: both(storageRouter),
      upload: {
        request: mount(UPLOAD_PATH, uploadRouter) as Router,
        checkContinue: mount(UPLOAD_PATH, uploadRouter.checkContinue),
      },
      files: { request: files, checkContinue: files },
    },
    upgrade: gateway.upgrade,
    shouldUpgrade: gateway.shouldUpgrade,
  };
}

/** Rejects grants and links that were revoked, or whose key pair was revoked or removed. */
async function authorizeUse(
  { kind, id, env, caller }: SignedUse,
  config: Config,
  { shared }: State,
): Promise<void> {
  const pairs = config.environments[env]?.credentials ?? [];
  const isKnown = pairs.some((pair) => pair.id === caller);
  if (!isKnown || (await shared?.isRevoked(['key-pair', `${env}/${caller}`], [kind, id]))) {
    throw new UploadError('AccessDenied', { message: `The ${kind} has been revoked.` });
  }
}

/** D12: "a server that has a single environment also accepts any loopback host". */
function toEnvOption(names: readonly string[]): EnvOption {
  if (names.length === 1) return names[0] as string;
  const known = new Set(names);
  return (name) => known.has(name);
}

type Listener = Router['checkContinue'];

/** Strips a prefix from request paths, as mounting does in Express. */
function mount(prefix: string, listener: Listener): Listener {
  return (request, response) => {
    const rest = (request.url ?? '/').slice(prefix.length);
    request.url = rest.startsWith('/') ? rest : `/${rest}`;
    listener(request, response);
  };
}
