import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { WireProfile } from '@berth/spec/wire-profile';
import { GatewayError, StorageError } from '../errors.ts';
import type { GatewayLogin } from '../gateway/create-gateway-router.ts';
import { SIGNATURE } from '../generated/contract.gen.ts';
import { hasBody } from '../runtime/body/request-stream.ts';
import type { StorageSecurity } from '../storage/create-storage-router.ts';
import type { KeyPairs } from './key-pairs.ts';
import {
  decodeWire,
  EMPTY_HASH,
  MalformedSignature,
  parseSignature,
  sha256,
  type Tc3Signature,
  toCanonicalHead,
  toContentTypeSpellings,
  toScopeDate,
  toSignedValue,
  toStorageCanonicalRequest,
  toStringToSign,
} from './tc3.ts';

/** The authenticated caller. */
export interface Caller {
  /** Environment that the credentials belong to, which is always that of the call (D15, D30). */
  readonly env: string;
  /** The `sub` claim of the token, or the ID of the key pair. */
  readonly id: string;
  /**
   * Verifies the body of a signed gateway call, whose SHA-256 the signature covers (D16). `undefined` if
   * there is nothing left to verify. Must be called before the hosted service is.
   *
   * @param bodyHash SHA-256 of the body in hex
   * @throws GatewayError INVALID_CREDENTIALS if the body was not signed
   */
  readonly verifyBody?: (bodyHash: string) => void;
}

/** Checks the time of signatures (D18). */
export interface Clock {
  /** Returns the time in milliseconds since the epoch. */
  now(): number;
  /** Returns why a time is rejected; `undefined` if it is within the window. */
  refusalOf(timestamp: number): string | undefined;
}

/**
 * Creates the clock that signatures are checked against. A signature is valid while its time is within
 * the window, no matter how often it is sent: processes share no state, so none of them could detect a
 * replay. Only TLS keeps others from obtaining a signature.
 *
 * @param windowSeconds maximum clock skew in either direction, in seconds
 * @param owner what the clock belongs to, for error messages
 */
export function createClock(now: () => number, windowSeconds: number, owner = 'server'): Clock {
  return {
    now,
    refusalOf(timestamp) {
      const time = Math.floor(now() / 1000);
      if (Math.abs(time - timestamp) <= windowSeconds) return undefined;
      // facts: "Wrong machine clocks are a common cause of refusals: say so …, with the server's time."
      const server = new Date(time * 1000).toISOString().replace('.000', '');
      return `The signature's timestamp differs by more than ${windowSeconds} s from the ${owner}'s clock, which is at ${time} (${server}): correct the clock of the machine that signs.`;
    },
  };
}

const GATEWAY_FIELDS = ['Timestamp', 'Token'] as const;
const GATEWAY_PREFIX = `${SIGNATURE.algorithm} `;
/**
 * The same message for everything that must be indistinguishable: an unknown ID, a wrong secret or
 * token, an expired pair.
 */
const MISMATCH =
  'The signature does not match the request, or its key pair or token is unknown or has expired.';

type SignedCall = Pick<GatewayLogin, 'env' | 'request' | 'rawPath' | 'rawQuery'>;

export interface GatewaySignatureOptions {
  readonly pairs: () => KeyPairs;
  readonly service: string;
  readonly clock: (request: IncomingMessage) => Clock;
}

/**
 * Creates a function that authenticates callers by the request signature (D16). If the request has a body,
 * `Caller.verifyBody` must verify its SHA-256, which the signature covers. `verifyBody` also rejects unknown
 * IDs and expired pairs, because rejecting them before the body is read would reveal which IDs exist. Only
 * what does not depend on the key pair is checked earlier, such as the format and the time.
 */
export function createGatewaySignature({
  pairs,
  service,
  clock: clockOf,
}: GatewaySignatureOptions) {
  return (value: string, login: SignedCall): Caller => {
    const { env, request } = login;
    const clock = clockOf(request);
    const given = readable(() =>
      parseSignature(value.slice(GATEWAY_PREFIX.length), GATEWAY_FIELDS),
    );
    const { id, token, timestamp = 0 } = given;
    if (given.service !== service) {
      throw refuseCall(`The service in the Credential field must be ${service}.`);
    }
    assertTime(given, clock);
    const heads = readable(() => toCanonicalHeads(login, given.signedHeaders));
    const pair = pairs().find(id, env);
    const expected = Buffer.from(given.signature, 'hex');
    const fits = (bodyHash: string): boolean => {
      let isSame = false;
      for (const head of heads) {
        const { algorithm } = SIGNATURE;
        const text = toStringToSign(algorithm, timestamp, given, sha256(head + bodyHash));
        isSame = timingSafeEqual(pair.sign(given, text), expected) || isSame;
      }
      return isSame;
    };
    const isUsable = pair.isUsable(token, clock.now()) && pair.env === env;
    if (hasBody(request)) {
      const verifyBody = (bodyHash: string): void => {
        if (!fits(bodyHash) || !isUsable) throw refuseCall(MISMATCH);
      };
      return { env, id, verifyBody };
    }
    if (!fits(EMPTY_HASH) || !isUsable) throw refuseCall(MISMATCH);
    return { env, id };
  };
}

function assertTime({ timestamp = 0, date }: Tc3Signature, clock: Clock): void {
  const reason = clock.refusalOf(timestamp);
  if (reason !== undefined) throw refuseCall(reason);
  if (date !== toScopeDate(timestamp)) {
    throw refuseCall('The date in the Credential field must be the UTC date of the Timestamp.');
  }
}

function toCanonicalHeads(
  { request, rawPath, rawQuery = '' }: SignedCall,
  names: readonly string[],
): readonly string[] {
  const { method = '', headers, url = '' } = request;
  // D16 requires `host` in the list. A host in the request target would take precedence over `Host`.
  if (!names.includes('host')) throw new MalformedSignature('SignedHeaders must include host.');
  if (!url.startsWith('/'))
    throw new MalformedSignature('The request target of a signed call must be a path.');
  const values = names.map((name) => [name, decodeWire(headerOf(headers, name))] as const);
  const type = values.find(([name]) => name === 'content-type')?.[1];
  return toContentTypeSpellings(type ?? '').map((spelling) =>
    toCanonicalHead({
      method,
      path: decodeWire(rawPath),
      query: decodeWire(rawQuery),
      headers: values.map(
        ([name, value]) =>
          [name, name === 'content-type' ? spelling : toSignedValue(name, value)] as const,
      ),
    }),
  );
}

function headerOf(headers: IncomingHttpHeaders, name: string): string {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  if (value === undefined) {
    throw new MalformedSignature('SignedHeaders contains a header that the request does not have.');
  }
  return Array.isArray(value) ? value.join(', ') : value;
}

function readable<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw error instanceof MalformedSignature ? refuseCall(error.message) : error;
  }
}

function refuseCall(message: string): GatewayError {
  return new GatewayError('INVALID_CREDENTIALS', { message });
}

const STORAGE_PREFIX = `${SIGNATURE.storageVersion} ${SIGNATURE.algorithm} `;

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
        throw refuseStorage(`The service in the Credential field must be ${service}.`);
      }
      const reason = clock.refusalOf(timestamp);
      if (reason !== undefined) throw refuseStorage(reason);
      if (given.date !== toScopeDate(timestamp)) {
        throw refuseStorage(
          `The date in the Credential field must be the UTC date of ${names.timestamp}.`,
        );
      }
      const pair = pairs().find(given.id, envId);
      const text = toStringToSign(algorithm, timestamp, given, requestHash);
      const fits = timingSafeEqual(pair.sign(given, text), Buffer.from(given.signature, 'hex'));
      const isUsable = pair.isUsable(sessionToken.trim(), clock.now());
      if (!fits || !isUsable || pair.env === undefined) {
        // The same message for everything that must be indistinguishable.
        throw refuseStorage(
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
  if (!authorization.startsWith(STORAGE_PREFIX)) {
    throw refuseStorage(
      `The ${header} header must start with ${STORAGE_PREFIX.trimEnd()} and a space.`,
    );
  }
  try {
    const given = parseSignature(authorization.slice(STORAGE_PREFIX.length), []);
    const list = given.signedHeaders.join(';');
    if (list === SIGNATURE.storageSignedHeaders) return given;
  } catch (error) {
    throw error instanceof MalformedSignature ? refuseStorage(error.message) : error;
  }
  throw refuseStorage(`The SignedHeaders field must be ${SIGNATURE.storageSignedHeaders}.`);
}

function refuseStorage(message: string): StorageError {
  return new StorageError('SIGN_PARAM_INVALID', { message });
}
