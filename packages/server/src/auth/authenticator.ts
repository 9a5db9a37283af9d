import type { GatewaySecurity, StorageSecurity } from '@berth/server-stubs';
import {
  type Caller,
  createGatewaySignature,
  createKeyPairs,
  createStorageSignature,
} from '@berth/server-stubs/auth';
import type { Config } from '../config/config.ts';
import type { KeySet } from '../config/key-set.ts';
import { createBearer, type Trust } from './bearer.ts';
import { createKeySource } from './keys.ts';

type AuthConfig = Pick<Config, 'environments' | 'limits' | 'signature' | 'wireProfile'>;

interface Settings {
  /** Called if keys cannot be loaded from their URL. Keys loaded earlier stay in use for an hour. */
  readonly onKeyFailure?: (env: string, reason: string) => void;
}

export interface Authenticator {
  readonly gateway: GatewaySecurity<Caller>;
  readonly storage: StorageSecurity<Caller>;
  /** Applies another configuration, and forgets all tokens. */
  update(config: AuthConfig): void;
}

/** With where its keys are from. */
interface IssuerTrust extends Trust {
  readonly jwks: KeySet | string;
}

/** Creates the security handlers for both APIs (D15 to D19, D30). */
export function createAuthenticator(
  initial: AuthConfig,
  { onKeyFailure = () => {} }: Settings = {},
): Authenticator {
  let trusts: ReadonlyMap<string, IssuerTrust> = new Map();
  let handlers = apply(initial);

  function apply({ environments, limits, signature, wireProfile }: AuthConfig) {
    const next = new Map<string, IssuerTrust>();
    for (const [env, { tokens }] of Object.entries(environments)) {
      if (tokens === undefined) continue;
      const { jwks, issuer } = tokens;
      const old = trusts.get(env);
      // A known URL keeps its keys, so that an update does not depend on an issuer that is down.
      const keys =
        typeof jwks === 'string' && jwks === old?.jwks
          ? old.keys
          : createKeySource(jwks, (reason) => onKeyFailure(env, reason));
      keys.forgetTokens();
      next.set(env, { issuer, jwks, keys });
    }
    trusts = next;
    const common = {
      pairs: createKeyPairs(environments),
      service: signature.service,
      windowSeconds: limits.clockWindowSeconds,
    };
    return {
      bearerToken: createBearer(trusts),
      signature: createGatewaySignature(common),
      storage: createStorageSignature({
        ...common,
        signingHost: signature.storageSigningHost,
        wireProfile,
      }),
    };
  }

  return {
    gateway: {
      bearerToken: (token, call) => handlers.bearerToken(token, call),
      signature: (value, call) => handlers.signature(value, call),
    },
    storage: {
      credentials: (credentials, call) => handlers.storage.credentials(credentials, call),
    },
    update(config) {
      handlers = apply(config);
    },
  };
}
