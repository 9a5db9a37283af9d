import { toWireProfile, type WireProfileInput } from '@berth/spec/wire-profile';
import { SIGNATURE } from '../generated/contract.gen.ts';
import type { Credential } from './key-pairs.ts';
import {
  createSigner,
  sha256,
  toCanonicalHead,
  toContentTypeSpellings,
  toScopeDate,
  toSignedValue,
  toStorageCanonicalRequest,
  toStringToSign,
} from './tc3.ts';

/** A gateway call to sign. */
export interface UnsignedRequest {
  readonly method: string;
  /** Path and query, exactly as they will be sent. */
  readonly target: string;
  /** The headers to sign, by lowercase name. Must include `host`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Request body. Default: none. */
  readonly body?: string | Uint8Array;
  /** Signing time in seconds since the epoch. */
  readonly timestamp: number;
  /** Service in the signature scope. Default: the contract's. */
  readonly service?: string;
}

/**
 * Returns the `Authorization` header for a signed gateway call (D16).
 *
 * @example
 * const headers = { host: 'dev.example', 'content-type': 'application/json' };
 * const timestamp = Math.floor(Date.now() / 1000);
 * signGatewayRequest({ id, secret }, { method: 'GET', target: '/v1/cloudrun/hello', headers, timestamp });
 */
export function signGatewayRequest(
  { id, secret, token }: Credential,
  { method, target, headers, body = '', timestamp, service = SIGNATURE.service }: UnsignedRequest,
): string {
  const [path = '', ...rest] = target.split('?');
  const signed = Object.entries(headers)
    .map(([name, value]) => [name, toValue(name, value)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const head = toCanonicalHead({ method, path, query: rest.join('?'), headers: signed });
  const scope = { date: toScopeDate(timestamp), service };
  const { algorithm } = SIGNATURE;
  const text = toStringToSign(algorithm, timestamp, scope, sha256(head + sha256(body)));
  const list = signed.map(([name]) => name).join(';');
  const hex = createSigner(secret)(scope, text).toString('hex');
  const end = token === undefined ? '' : `, Token=${token}`;
  return `${algorithm} Credential=${id}/${scope.date}/${service}/tc3_request, SignedHeaders=${list}, Signature=${hex}, Timestamp=${timestamp}${end}`;
}

function toValue(name: string, value: string): string {
  return name === 'content-type'
    ? (toContentTypeSpellings(value)[0] as string)
    : toSignedValue(name, value);
}

export interface StorageSigning {
  /** Signing time in seconds since the epoch. */
  readonly timestamp: number;
  /** Service in the signature scope. Default: the contract's. */
  readonly service?: string;
  /** Host in the constant text that is signed. Default: the contract's. */
  readonly signingHost?: string;
  /** Names of the headers. Default: the contract's neutral names. */
  readonly wireProfile?: WireProfileInput;
}

/**
 * Returns the three headers for a storage call (D17). Within the clock window, they are valid for any call.
 *
 * @example
 * signStorageRequest({ id, secret }, { timestamp: Math.floor(Date.now() / 1000) });
 */
export function signStorageRequest(
  { id, secret, token = '' }: Credential,
  settings: StorageSigning,
): Record<string, string> {
  const { algorithm, storageContentType, storageSignedHeaders, storageVersion } = SIGNATURE;
  const {
    timestamp,
    service = SIGNATURE.service,
    signingHost = SIGNATURE.storageSigningHost,
  } = settings;
  const scope = { date: toScopeDate(timestamp), service };
  const requestHash = sha256(toStorageCanonicalRequest(signingHost, storageContentType));
  const text = toStringToSign(algorithm, timestamp, scope, requestHash);
  const hex = createSigner(secret)(scope, text).toString('hex');
  const names = toWireProfile(settings.wireProfile).storageHeaders;
  return {
    [names.authorization]: `${storageVersion} ${algorithm} Credential=${id}/${scope.date}/${service}/tc3_request, SignedHeaders=${storageSignedHeaders}, Signature=${hex}`,
    [names.sessionToken]: token,
    [names.timestamp]: String(timestamp),
  };
}
