import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { StorageError } from '../../errors.ts';
import { SIGNATURE } from '../../generated/contract.gen.ts';
import type { WireProfile } from '../../http/wire-profile.ts';
import type { StorageSecurity } from '../../storage/storage-security.ts';
import type { Caller, Clock } from './caller.ts';
import type { KeyPairs } from './key-pairs.ts';
import {
  MalformedSignature,
  parseSignature,
  sha256,
  type Tc3Signature,
  toScopeDate,
  toStorageCanonicalRequest,
  toStringToSign,
} from './tc3.ts';

const PREFIX = `${SIGNATURE.storageVersion} ${SIGNATURE.algorithm} `;

export interface StorageSignatureOptions {
  readonly pairs: () => KeyPairs;
  readonly hasEnv: (env: string) => boolean;
  readonly service: string;
  /** Host in the constant text that is signed. Unrelated to this server's host. */
  readonly signingHost: string;
  readonly wireProfile: WireProfile;
  readonly clock: (request: IncomingMessage) => Clock;
}

/**
 * Creates the security handler that authenticates callers by their secret (D17). The signature covers the
 * time, but no part of the request.
 */
export function createStorageSignature(settings: StorageSignatureOptions): StorageSecurity<Caller> {
  const { pairs, hasEnv, service, signingHost, wireProfile, clock: clockOf } = settings;
  const names = wireProfile.storageHeaders;
  const { algorithm, storageContentType } = SIGNATURE;
  const requestHash = sha256(toStorageCanonicalRequest(signingHost, storageContentType));
  return {
    credentials({ authorization, sessionToken, timestamp }, { envId, request }): Caller {
      const clock = clockOf(request);
      const given = parse(authorization, names.authorization);
      if (given.service !== service) {
        throw refusal(`The service in the Credential field must be ${service}.`);
      }
      const reason = clock.refusalOf(timestamp);
      if (reason !== undefined) throw refusal(reason);
      if (given.date !== toScopeDate(timestamp)) {
        throw refusal(
          `The date in the Credential field must be the UTC date of ${names.timestamp}.`,
        );
      }
      const pair = pairs().find(given.id, envId);
      const text = toStringToSign(algorithm, timestamp, given, requestHash);
      const fits = timingSafeEqual(pair.sign(given, text), Buffer.from(given.signature, 'hex'));
      const isUsable = pair.isUsable(sessionToken.trim(), clock.now());
      if (!fits || !isUsable || pair.env === undefined) {
        // The same message for everything that must be indistinguishable.
        throw refusal(
          `The signature does not match ${names.timestamp}, or its key pair or ${names.sessionToken} is unknown or has expired.`,
        );
      }
      // D30: only callers that have proved to know a secret learn the reason.
      if (pair.env !== envId) {
        throw new StorageError(hasEnv(envId) ? 'STORAGE_EXCEED_AUTHORITY' : 'INVALID_ENV', {
          message: hasEnv(envId)
            ? 'The credentials belong to another environment.'
            : 'The environment in the path does not exist.',
        });
      }
      return { env: envId, id: given.id };
    },
  };
}

function parse(authorization: string, header: string): Tc3Signature {
  if (!authorization.startsWith(PREFIX)) {
    throw refusal(`The ${header} header must start with ${PREFIX.trimEnd()} and a space.`);
  }
  try {
    const given = parseSignature(authorization.slice(PREFIX.length), []);
    const list = given.signedHeaders.join(';');
    if (list === SIGNATURE.storageSignedHeaders) return given;
  } catch (error) {
    throw error instanceof MalformedSignature ? refusal(error.message) : error;
  }
  throw refusal(`The SignedHeaders field must be ${SIGNATURE.storageSignedHeaders}.`);
}

function refusal(message: string): StorageError {
  return new StorageError('SIGN_PARAM_INVALID', { message });
}
