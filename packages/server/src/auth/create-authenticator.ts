import {
  defaultWireProfile,
  type GatewaySecurity,
  type StorageSecurity,
  type WireProfile,
} from '@berth/server-stubs';
import {
  createClock,
  createGatewaySignature,
  createKeyPairs,
  createStorageSignature,
  type KeyPairs,
} from '@berth/server-stubs/engine/node';
import { type AuthEnvironments, type Caller, signature as constants, limits } from './caller.ts';
import { createBearer, type Trust } from './create-bearer.ts';
import { createKeySource, isRemote } from './create-key-source.ts';

export interface AuthenticatorOptions {
  /** Credentials by environment. */
  readonly environments: AuthEnvironments;
  /** The parts of signatures other than secrets. Default: the contract's constants. */
  readonly signature?: {
    /** Service in the credential scope (D16). Default: `svc`. */
    readonly service?: string | undefined;
    /** Host in the constant text of storage signatures (D17). Default: `api.berth.example`. */
    readonly storageSigningHost?: string | undefined;
  };
  /** Wire names used in error messages. Default: the neutral names. */
  readonly wireProfile?: WireProfile;
  /** Maximum clock skew of a signature in either direction, in seconds (D18). Default: 300. */
  readonly clockWindowSeconds?: number;
  /** How long a verified token may be cached, in seconds (D19). Default: 60. */
  readonly tokenCacheSeconds?: number;
  /** Returns milliseconds since the epoch. Default: this machine's clock. */
  readonly now?: () => number;
  /** Called if keys cannot be loaded from their URL. Keys loaded earlier stay in use for an hour. */
  readonly onKeyFailure?: (env: string, reason: string) => void;
}

/** Authenticates callers for the gateway and storage routers. */
export interface Authenticator {
  readonly gateway: GatewaySecurity<Caller>;
  readonly storage: StorageSecurity<Caller>;
  /**
   * Replaces all environments atomically and clears the token cache.
   *
   * @throws TypeError if credentials could never authenticate anyone; the old environments then stay in use
   */
  update(environments: AuthEnvironments): Promise<void>;
  /** Aborts pending requests. */
  close(): void;
}

/**
 * Creates the security handlers for both APIs (D15 to D19, D30).
 *
 * @throws TypeError if credentials could never authenticate anyone
 *
 * @example
 * const { gateway, storage } = await createAuthenticator({
 *   environments: {
 *     dev: { tokens: { jwks: './jwks.json' }, credentials: [{ id: 'ci', secret: await readSecret() }] },
 *   },
 * });
 * createGatewayRouter(handlers, { security: gateway, env: 'dev' });
 */
export async function createAuthenticator(options: AuthenticatorOptions): Promise<Authenticator> {
  const { environments, signature = {}, wireProfile = defaultWireProfile } = options;
  const { now = Date.now, onKeyFailure = () => {} } = options;
  const {
    clockWindowSeconds = limits.clockWindowSeconds.value,
    tokenCacheSeconds = limits.tokenCacheSeconds.value,
  } = options;
  const { service = constants.service, storageSigningHost = constants.storageSigningHost } =
    signature;

  let state: State = { names: new Set(), pairs: createKeyPairs({}), trusts: new Map() };
  let last: Promise<void> = Promise.resolve();

  async function replace(next: AuthEnvironments): Promise<void> {
    const { trusts: before } = state;
    const pairs = createKeyPairs(next);
    const trusts = await createTrusts(next, before, { now, onKeyFailure });
    state = { names: new Set(Object.keys(next)), pairs, trusts };
    const kept = new Set([...trusts.values()].map(({ keys }) => keys));
    for (const { keys } of before.values()) {
      if (kept.has(keys)) keys.forget();
      else keys.close();
    }
  }

  await replace(environments);
  const theClock = createClock(now, clockWindowSeconds);
  const clock = () => theClock;
  const pairs = () => state.pairs;
  return {
    gateway: {
      bearerToken: createBearer({
        trustOf: (env) => state.trusts.get(env),
        now,
        cacheSeconds: tokenCacheSeconds,
      }),
      signature: createGatewaySignature({ pairs, service, clock }),
    },
    storage: createStorageSignature({
      pairs,
      hasEnv: (env) => state.names.has(env),
      service,
      signingHost: storageSigningHost,
      wireProfile,
      clock,
    }),
    update(next) {
      // One at a time, so that the last requested update wins.
      last = last.then(
        () => replace(next),
        () => replace(next),
      );
      return last;
    },
    close() {
      for (const { keys } of state.trusts.values()) keys.close();
    },
  };
}

interface State {
  readonly names: ReadonlySet<string>;
  readonly pairs: KeyPairs;
  readonly trusts: Trusts;
}

interface Settings {
  readonly now: () => number;
  readonly onKeyFailure: (env: string, reason: string) => void;
}

/** Trusted issuers by environment, with the URL of their keys. */
type Trusts = ReadonlyMap<string, Trust & { readonly url: string | undefined }>;

/**
 * Reads inline keys and files again. A known URL keeps its keys, so that an update does not depend on an
 * issuer that is down; the cache of tokens verified with them is cleared.
 *
 * @throws Error that names the environment
 */
async function createTrusts(
  environments: AuthEnvironments,
  before: Trusts,
  { now, onKeyFailure }: Settings,
): Promise<Trusts> {
  const trusts = new Map<string, Trust & { readonly url: string | undefined }>();
  for (const [env, { tokens }] of Object.entries(environments)) {
    if (tokens === undefined) continue;
    const { issuer, jwks } = tokens;
    const url = isRemote(jwks) ? jwks : undefined;
    const old = before.get(env);
    if (old?.url !== undefined && old.url === url) {
      trusts.set(env, { issuer, url, keys: old.keys });
      continue;
    }
    const onFailure = (reason: string) => onKeyFailure(env, reason);
    const keys = await createKeySource(jwks, { now, onFailure }).catch((error: Error) => {
      throw new TypeError(`Cannot load the keys of environment ${env}: ${error.message}`);
    });
    trusts.set(env, { issuer, url, keys });
  }
  return trusts;
}
