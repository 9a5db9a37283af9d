import type { GatewaySecurity, StorageSecurity } from '@berth/server-stubs';
import {
  type Caller,
  createGatewaySignature,
  createKeyPairs,
  createStorageSignature,
  type KeyPairs,
} from '@berth/server-stubs/auth';
import type { Config, EnvironmentConfig } from '../config/config.ts';
import { createBearer, type Trust } from './bearer.ts';
import { createKeySource } from './keys.ts';

export type AuthEnvironments = Readonly<
  Record<string, Partial<Pick<EnvironmentConfig, 'tokens' | 'credentials'>>>
>;

export interface AuthenticatorConfig extends Pick<Config, 'signature' | 'wireProfile'> {
  readonly environments: AuthEnvironments;
  readonly limits: Pick<Config['limits'], 'clockWindowSeconds' | 'tokenCacheSeconds'>;
}

interface Settings {
  readonly now?: () => number;
  /** Called if keys cannot be loaded from their URL. Keys loaded earlier stay in use for an hour. */
  readonly onKeyFailure?: (env: string, reason: string) => void;
}

export interface Authenticator {
  readonly gateway: GatewaySecurity<Caller>;
  readonly storage: StorageSecurity<Caller>;
  /**
   * Replaces all environments atomically and clears the token cache.
   * @throws TypeError if credentials could never authenticate anyone; the old environments then stay in use
   */
  update(environments: AuthEnvironments): void;
  close(): void;
}

/**
 * Creates the security handlers for both APIs (D15 to D19, D30).
 * @throws TypeError if credentials could never authenticate anyone
 */
export function createAuthenticator(
  { environments, signature, wireProfile, limits }: AuthenticatorConfig,
  { now = Date.now, onKeyFailure = () => {} }: Settings = {},
): Authenticator {
  let pairs = createKeyPairs({});
  let trusts = new Map<string, Trust>();

  function update(next: AuthEnvironments): void {
    const nextPairs = toKeyPairs(next);
    const nextTrusts = new Map<string, Trust>();
    for (const [env, { tokens }] of Object.entries(next)) {
      if (tokens === undefined) continue;
      const { issuer, jwks } = tokens;
      const old = trusts.get(env);
      // A known URL keeps its keys, so that an update does not depend on an issuer that is down.
      const isKept = typeof jwks === 'string' && old?.jwks === jwks;
      const keys = isKept ? old.keys : toKeys(env, jwks);
      nextTrusts.set(env, { issuer, jwks, keys });
    }
    for (const [env, { keys }] of trusts) {
      if (nextTrusts.get(env)?.keys === keys) keys.current?.tokens.clear();
      else keys.close();
    }
    pairs = nextPairs;
    trusts = nextTrusts;
  }

  function toKeys(env: string, jwks: Trust['jwks']) {
    try {
      return createKeySource(jwks, { now, onFailure: (reason) => onKeyFailure(env, reason) });
    } catch (error) {
      const { message } = error as Error;
      throw new TypeError(`Cannot load the keys of environment ${env}: ${message}`);
    }
  }

  update(environments);
  const { service, storageSigningHost: signingHost } = signature;
  const windowSeconds = limits.clockWindowSeconds;
  const common = { pairs: () => pairs, service, now, windowSeconds };
  return {
    gateway: {
      bearerToken: createBearer({
        trustOf: (env) => trusts.get(env),
        now,
        cacheSeconds: limits.tokenCacheSeconds,
      }),
      signature: createGatewaySignature(common),
    },
    storage: createStorageSignature({
      ...common,
      signingHost,
      wireProfile,
    }),
    update,
    close() {
      for (const { keys } of trusts.values()) keys.close();
    },
  };
}

function toKeyPairs(environments: AuthEnvironments): KeyPairs {
  const entries = Object.entries(environments).map(([env, { credentials = [] }]) => {
    const dated = credentials.map(({ expires, ...pair }) => ({
      ...pair,
      expires: expires === undefined ? undefined : new Date(expires),
    }));
    return [env, { credentials: dated }] as const;
  });
  return createKeyPairs(Object.fromEntries(entries));
}
