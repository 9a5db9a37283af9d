/** Credentials, and the checks used in `present` mode. Also runs in browsers: must not import Node modules. */
import type { GatewaySecurity, StorageSecurity } from '@berth/server-stubs';
import { SIGNATURE, StorageError } from '@berth/server-stubs/contract';
import type { WireProfile } from '@berth/spec/wire-profile';

/** Credentials for a mock with `credentials: 'strict'`. The keys are public and protect nothing. */
export interface MockCredentials {
  /** An access token for the gateway, valid for 30 days from now, according to the default session's clock. */
  readonly token: string;
  /** A key pair for signatures, whose time must be that of the session's clock. */
  readonly id: string;
  readonly secret: string;
}

export const KEY_PAIR = { id: 'berth-mock-id', secret: 'berth-mock-secret' } as const;

export const TOKEN_KEY = {
  kty: 'OKP',
  crv: 'Ed25519',
  alg: 'EdDSA',
  x: '93HI08EEDKYSuY5TTizRqwj1QQNFxMMD6DW3k20Aq28',
  d: 'lYssc8H-Pimjeo9chAIR1KzXBxwEOMce0dYd1Op8xdI',
} as const;

export interface Auth {
  readonly gateway: GatewaySecurity;
  readonly storage: StorageSecurity<{ readonly env: string; readonly id: string }>;
}

/** Whether a credential is a signature, as the gateway's router decides. */
export function isSignature(authorization: string): boolean {
  return authorization.split(' ', 1)[0] === SIGNATURE.algorithm;
}

/** Whether the gateway accepts the value of an `Authorization` header in `present` mode. */
export function isPresent(authorization: string): boolean {
  return /^Bearer +\S+$/i.test(authorization) || isSignature(authorization);
}

const CALLER = { id: 'mock' };

/** Creates an Auth that accepts any token and any signature (D15). */
export function createPresentAuth(profile: WireProfile) {
  const { authorization: header } = profile.storageHeaders;
  return {
    gateway: {
      bearerToken: (token: string) => (/^\S+$/.test(token) ? CALLER : undefined),
      signature: () => CALLER,
    },
    storage: {
      // D17: "permanent credentials have no token to compare".
      credentials({ authorization }: { authorization: string }, { env }: { env: string }) {
        if (authorization !== '') return { ...CALLER, env };
        const message = `The ${header} header is missing.`;
        throw new StorageError('SIGN_PARAM_INVALID', { message });
      },
    },
  } satisfies Auth;
}
