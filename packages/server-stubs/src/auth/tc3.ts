import { createHmac, hash } from 'node:crypto';
import { defaultWireProfile } from '@berth/spec/wire-profile';
import { SIGNATURE } from '../generated/contract.gen.ts';

/** A key pair that signs calls. */
export interface Credential {
  /** Sent with each call. Visible ASCII without `/`, `,` and spaces. */
  readonly id: string;
  /** Shared with the caller, but never sent. */
  readonly secret: string;
  /** Session token of temporary credentials. Default: none, and what a call sends is ignored. */
  readonly token?: string | undefined;
  /** When the credentials expire. Default: never. */
  readonly expires?: Date | undefined;
}

/** How to sign storage calls. */
export interface StorageSigning {
  /** Signing time in seconds since the epoch. */
  readonly timestamp: number;
  /** Service in the signature scope. Default: the contract's. */
  readonly service?: string;
  /** Host in the constant text that is signed. Default: the contract's. */
  readonly signingHost?: string;
}

/**
 * Returns the three headers for a storage call, with the contract's neutral names.
 *
 * @example
 * signStorageRequest({ id, secret }, { timestamp: Math.floor(Date.now() / 1000) });
 */
export function signStorageRequest(
  credential: Credential,
  {
    timestamp,
    service = SIGNATURE.service,
    signingHost = SIGNATURE.storageSigningHost,
  }: StorageSigning,
): Record<string, string> {
  const { algorithm, storageSignedHeaders, storageVersion } = SIGNATURE;
  const { id, secret, token = '' } = credential;
  const scope = { date: toScopeDate(timestamp), service };
  const signature = createSigner(secret)(scope, timestamp, hashStorageRequest(signingHost));
  const fields = [
    `Credential=${id}/${scope.date}/${service}/${TERMINATOR}`,
    `SignedHeaders=${storageSignedHeaders}`,
    `Signature=${signature.toString('hex')}`,
  ];
  const names = defaultWireProfile.storageHeaders;
  return {
    [names.authorization]: `${storageVersion} ${algorithm} ${fields.join(', ')}`,
    [names.sessionToken]: token,
    [names.timestamp]: String(timestamp),
  };
}

/** The end of every scope. */
const TERMINATOR = 'tc3_request';

interface CanonicalRequest {
  readonly method: string;
  /** As sent, without decoding. */
  readonly path: string;
  /** As sent, without the question mark; empty if there is none. */
  readonly query: string;
  /** The signed headers, sorted by their lowercase names. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/**
 * Returns the canonical request (D16) without its last line, the body's SHA-256 in hex. There are two for a multipart
 * type, which is signed with or without its boundary.
 */
export function toCanonicalHeads({
  method,
  path,
  query,
  headers,
}: CanonicalRequest): readonly string[] {
  const list = headers.map(([name]) => name).join(';');
  const type = headers.find(([name]) => name === 'content-type')?.[1] ?? '';
  return toTypeSpellings(type).map((spelling) => {
    const lines = headers.map(([name, value]) => {
      // D16: "Values are trimmed and lowercased, except `content-type`, which is signed as sent."
      return `${name}:${name === 'content-type' ? spelling : value.trim().toLowerCase()}\n`;
    });
    return `${method}\n${path}\n${query}\n${lines.join('')}\n${list}\n`;
  });
}

function toTypeSpellings(contentType: string): readonly string[] {
  const type = contentType.trim();
  const [mediaType = ''] = type.split(';', 1);
  const isMultipart = mediaType.trim().toLowerCase() === 'multipart/form-data';
  return isMultipart && mediaType !== type ? [mediaType.trim(), type] : [type];
}

export const EMPTY_HASH = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** Returns the hash of the canonical request of every storage call (D17): a constant text. */
export function hashStorageRequest(signingHost: string): string {
  const { storageContentType, storageSignedHeaders } = SIGNATURE;
  const lines = `content-type:${storageContentType}\nhost:${signingHost}\n`;
  return sha256(`POST\n//${signingHost}/\n\n${lines}\n${storageSignedHeaders}\n${EMPTY_HASH}`);
}

export interface Scope {
  /** UTC date, such as `2023-11-14`. */
  readonly date: string;
  readonly service: string;
}

/** Signs the SHA-256 of a canonical request (in hex), with the key for a scope. */
export type Signer = (scope: Scope, timestamp: number, requestHash: string) => Buffer;

/** Creates a signer that caches the day's key, because deriving a key takes three times as long as signing. */
export function createSigner(secret: string): Signer {
  let known: Scope & { readonly key: Buffer } = { date: '', service: '', key: Buffer.alloc(0) };
  return ({ date, service }, timestamp, requestHash) => {
    if (known.date !== date || known.service !== service) {
      const key = [date, service, TERMINATOR].reduce(hmac, Buffer.from(`TC3${secret}`));
      known = { date, service, key };
    }
    const scope = `${date}/${service}/${TERMINATOR}`;
    return hmac(known.key, `${SIGNATURE.algorithm}\n${timestamp}\n${scope}\n${requestHash}`);
  };
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** Returns the UTC date that a scope must have. A time of at most 12 digits is always a valid date. */
export function toScopeDate(timestamp: number): string {
  return new Date(timestamp * 1000).toISOString().slice(0, 'YYYY-MM-DD'.length);
}

/** Returns the SHA-256 hash in hex. */
export function sha256(content: string | Uint8Array): string {
  return hash('sha256', content);
}
