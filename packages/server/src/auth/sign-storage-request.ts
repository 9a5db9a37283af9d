import { defaultWireProfile, type WireProfile } from '@berth/server-stubs';
import type { Credential } from './auth-environment.ts';
import { signature as constants } from './defaults.ts';
import { createSigner, sha256 } from './tc3/signing-key.ts';
import { toStorageCanonicalRequest } from './tc3/to-canonical-request.ts';
import { toScopeDate, toStringToSign } from './tc3/to-string-to-sign.ts';

export interface StorageSigning {
  /** Seconds since the epoch. */
  readonly timestamp: number;
  /** Default: the one of the contract. */
  readonly service?: string;
  /** Default: the one of the contract. */
  readonly signingHost?: string;
  /** Default: the neutral names. */
  readonly wireProfile?: WireProfile;
}

/**
 * The three headers of a storage call (D17), good for any call within the clock window.
 *
 * @example
 * signStorageRequest({ id, secret }, { timestamp: Math.floor(Date.now() / 1000) });
 */
export function signStorageRequest(
  { id, secret, token = '' }: Credential,
  settings: StorageSigning,
): Record<string, string> {
  const { algorithm, storageContentType, storageSignedHeaders, storageVersion } = constants;
  const {
    timestamp,
    service = constants.service,
    signingHost = constants.storageSigningHost,
    wireProfile = defaultWireProfile,
  } = settings;
  const scope = { date: toScopeDate(timestamp), service };
  const requestHash = sha256(toStorageCanonicalRequest(signingHost, storageContentType));
  const text = toStringToSign(algorithm, timestamp, scope, requestHash);
  const hex = createSigner(secret)(scope, text).toString('hex');
  const names = wireProfile.storageHeaders;
  return {
    [names.authorization]: `${storageVersion} ${algorithm} Credential=${id}/${scope.date}/${service}/tc3_request, SignedHeaders=${storageSignedHeaders}, Signature=${hex}`,
    [names.sessionToken]: token,
    [names.timestamp]: String(timestamp),
  };
}
