import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { GatewayError, StorageError } from '../errors.ts';
import { isNominated } from '../forwarding.ts';
import type { GatewayCall } from '../gateway/router.ts';
import { LIMITS, SIGNATURE } from '../generated/contract.gen.ts';
import { splitTarget } from '../runtime/portable/paths.ts';
import { assertNames, namesOf } from '../runtime/portable/user-input.ts';
import { hasBody } from '../runtime/receive.ts';
import type { StorageSecurity } from '../storage/router.ts';
import type { SignedCaller } from '../surface.ts';
import type { KeyPair, KeyPairs } from './key-pairs.ts';
import {
  type CreateError,
  EMPTY_HASH,
  hashStorageRequest,
  type ParsedSignature,
  parseSignature,
  toCanonicalPrefixes,
  toScopeDate,
} from './tc3.ts';

/** The authenticated caller. */
export interface Caller extends Partial<SignedCaller> {
  /** Environment of the credentials, which is always that of the call. */
  readonly env: string;
  /** The `sub` claim of the token, or the ID of the key pair. */
  readonly id: string;
}

/** What signatures are checked against. */
export interface GatewaySignatureOptions {
  readonly pairs: KeyPairs;
  /** Service in the signature scope. Default: the contract's. */
  readonly service?: string;
  /** Returns the time in milliseconds since the epoch. Default: `Date.now` */
  readonly now?: (request: IncomingMessage) => number;
  /** Maximum clock skew in either direction, in seconds. Default: the contract's. */
  readonly windowSeconds?: number;
}

/**
 * Creates the security handler for signed gateway calls. If the request has a body, only `Caller.verifyBody`
 * rejects unknown IDs and expired pairs: to reject them earlier would reveal which IDs exist. A signature can be sent
 * again while its time is within the window. The path is the one that was sent, wherever Express mounts the router.
 *
 * @example
 * const security = { bearerToken: () => undefined, signature: createGatewaySignature({ pairs }) };
 * createGatewayRouter({ call }, { env: 'dev', security });
 */
export function createGatewaySignature(
  options: GatewaySignatureOptions,
): (authorization: string, call: Pick<GatewayCall, 'env' | 'request'>) => Caller {
  assertNames('options', options, GATEWAY_OPTIONS);
  const createError = (message: string) => new GatewayError('INVALID_CREDENTIALS', { message });
  const verifyPair = createPairVerifier(options, createError);
  return (authorization, { env, request }) => {
    const fields = authorization.slice(SIGNATURE.algorithm.length + 1);
    const parsed = parseSignature(fields, 'gateway', createError);
    const { id, signedHeaders } = parsed;
    const { pair, isUsable } = verifyPair(parsed, env, request);
    // Express removes the path at which it mounts a router from `url`.
    const { url = '', originalUrl = url } = request as { url?: string; originalUrl?: string };
    // A host in the request target would take precedence over `Host`.
    if (!originalUrl.startsWith('/')) {
      throw createError('The request target of a signed call must be a path.');
    }
    if (!signedHeaders.includes('host')) throw createError('SignedHeaders must include host.');
    const { path, query = '' } = splitTarget(originalUrl);
    const target = decodeLatin1AsUtf8(`${request.method}\n${path}\n${query}`, createError);
    const heads = toCanonicalPrefixes(
      target,
      signedHeaders.map((name) => [name, readHeader(request, name, createError)] as const),
    );
    const verifyBody = (bodyHash: string): void => {
      const hashes = heads.map((head) => hash('sha256', head + bodyHash));
      if (matches(pair, parsed, hashes) && isUsable && pair.env === env) return;
      // The same message for an unknown ID, a wrong secret or token, and an expired pair.
      throw createError(
        'The signature does not match the request, or its key pair or token is unknown or has expired.',
      );
    };
    if (hasBody(request)) return { env, id, verifyBody };
    verifyBody(EMPTY_HASH);
    return { env, id };
  };
}

const GATEWAY_OPTIONS = namesOf<GatewaySignatureOptions>({
  pairs: true,
  service: true,
  now: true,
  windowSeconds: true,
});

/** What signatures of storage calls are checked against. */
export interface StorageSignatureOptions extends GatewaySignatureOptions {
  /** Host in the constant text that is signed. Default: the contract's. */
  readonly signingHost?: string;
}

const STORAGE_PREFIX = `${SIGNATURE.storageVersion} ${SIGNATURE.algorithm} `;

/**
 * Creates the security handler for storage calls, whose signature covers the time but no part of the request.
 *
 * @example
 * createStorageRouter(handlers, { env: 'dev', security: createStorageSignature({ pairs }) });
 */
export function createStorageSignature(options: StorageSignatureOptions): StorageSecurity<Caller> {
  assertNames('options', options, [...GATEWAY_OPTIONS, 'signingHost']);
  const { signingHost = SIGNATURE.storageSigningHost } = options;
  const requestHash = hashStorageRequest(signingHost);
  const createError = (message: string) => new StorageError('SIGN_PARAM_INVALID', { message });
  const verifyPair = createPairVerifier(options, createError);
  return {
    credentials({ authorization, sessionToken, timestamp }, { env, request }): Caller {
      if (!authorization.startsWith(STORAGE_PREFIX)) {
        throw createError(`The signature must start with ${STORAGE_PREFIX.trimEnd()} and a space.`);
      }
      const fields = authorization.slice(STORAGE_PREFIX.length);
      const token = sessionToken.trim();
      const parsed = { ...parseSignature(fields, 'storage', createError), timestamp, token };
      if (parsed.signedHeaders.join(';') !== SIGNATURE.storageSignedHeaders) {
        throw createError(`The SignedHeaders field must be ${SIGNATURE.storageSignedHeaders}.`);
      }
      const { pair, isUsable, isEnv } = verifyPair(parsed, env, request);
      if (!matches(pair, parsed, [requestHash]) || !isUsable || pair.env === undefined) {
        // The same message for everything that must be indistinguishable.
        throw createError(
          'The signature does not match its timestamp, or its key pair or session token is unknown or has expired.',
        );
      }
      // D30: only callers that have proven that they know a secret learn the reason.
      if (pair.env === env) return { env, id: parsed.id };
      if (!isEnv) {
        const message = 'The environment in the path does not exist.';
        throw new StorageError('INVALID_ENV', { message });
      }
      const message = 'The credentials belong to another environment.';
      throw new StorageError('STORAGE_EXCEED_AUTHORITY', { message });
    },
  };
}

/** Creates a function that finds the key pair of a signature, and throws if it has another service or time. */
function createPairVerifier(options: GatewaySignatureOptions, createError: CreateError) {
  const { pairs, now = Date.now } = options;
  const { service = SIGNATURE.service, windowSeconds = LIMITS.clockWindowSeconds } = options;
  return (parsed: ParsedSignature, env: string, request: IncomingMessage) => {
    const { id, token, timestamp } = parsed;
    const time = now(request);
    const seconds = Math.floor(time / 1000);
    if (parsed.service !== service) {
      throw createError(`The service in the Credential field must be ${service}.`);
    }
    if (Math.abs(seconds - timestamp) > windowSeconds) {
      // A wrong clock is a common reason why calls are rejected, so the message has the server's time.
      const server = new Date(seconds * 1000).toISOString().replace('.000', '');
      throw createError(
        `The signature's timestamp differs by more than ${windowSeconds} s from the server's clock, which is at ${seconds} (${server}): correct the clock of the machine that signs.`,
      );
    }
    if (parsed.date !== toScopeDate(timestamp)) {
      throw createError(`The date in the Credential field must be the UTC date of the timestamp.`);
    }
    const pair = pairs.find(id, env);
    return { pair, isUsable: pair.isUsable(token, time), isEnv: pairs.hasEnv(env) };
  };
}

/** Compares in constant time, and with each hash. */
function matches(pair: KeyPair, parsed: ParsedSignature, hashes: readonly string[]): boolean {
  const results = hashes.map((requestHash) =>
    timingSafeEqual(pair.sign(parsed, parsed.timestamp, requestHash), parsed.signature),
  );
  return results.includes(true);
}

/** Node.js drops all but the first line of some headers, but the service gets every line. */
function readHeader(
  { headers, rawHeaders }: IncomingMessage,
  name: string,
  createError: CreateError,
): string {
  const lines = rawHeaders.filter(
    (_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name,
  );
  if (lines.length === 0) {
    throw createError('SignedHeaders contains a header that the request does not have.');
  }
  if (isNominated(headers, name)) {
    throw createError(
      'The Connection header must not contain a signed header, which it would remove.',
    );
  }
  return decodeLatin1AsUtf8(lines.join(', '), createError);
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Node.js reads as Latin-1 what signers write as UTF-8. Other bytes could have the same text and signature. */
function decodeLatin1AsUtf8(text: string, createError: CreateError): string {
  if (!/[\u0080-\uffff]/.test(text)) return text;
  try {
    return UTF8.decode(Buffer.from(text, 'latin1'));
  } catch {
    throw createError('The signed parts of the request must be UTF-8.');
  }
}
