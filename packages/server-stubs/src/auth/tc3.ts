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

/**
 * Returns the three headers for a storage call, with the contract's neutral names.
 *
 * @param signing time in seconds since the epoch
 * @example
 * signStorageRequest({ id, secret }, { timestamp: Math.floor(Date.now() / 1000) });
 */
export function signStorageRequest(
  { id, secret, token = '' }: Credential,
  { timestamp }: { readonly timestamp: number },
): Record<string, string> {
  const { service, storageSigningHost } = SIGNATURE;
  const scope = { date: toScopeDate(timestamp), service };
  const requestHash = hashStorageRequest(storageSigningHost);
  const signature = createTc3Signer(secret)(scope, timestamp, requestHash);
  const fields = [
    `Credential=${id}/${scope.date}/${service}/${TERMINATOR}`,
    `SignedHeaders=${SIGNATURE.storageSignedHeaders}`,
    `Signature=${signature.toString('hex')}`,
  ];
  const names = defaultWireProfile.storageHeaders;
  return {
    [names.authorization]: `${SIGNATURE.storageVersion} ${SIGNATURE.algorithm} ${fields.join(', ')}`,
    [names.sessionToken]: token,
    [names.timestamp]: String(timestamp),
  };
}

const TERMINATOR = 'tc3_request';

/**
 * Returns the canonical request (D16) without its last line, the body's SHA-256 in hex. There are two for a multipart
 * type, which is signed with or without its boundary.
 *
 * @param target method, path and query as sent, each on a line
 * @param headers the signed ones, sorted by their lowercase names
 */
export function toCanonicalPrefixes(
  target: string,
  headers: readonly (readonly [name: string, value: string])[],
): readonly string[] {
  const list = headers.map(([name]) => name).join(';');
  const type = headers.find(([name]) => name === 'content-type')?.[1].trim() ?? '';
  const mediaType = type.split(';', 1)[0]?.trim() ?? '';
  const isMultipart = mediaType.toLowerCase() === 'multipart/form-data';
  const variants = isMultipart ? new Set([mediaType, type]) : [type];
  return [...variants].map((variant) => {
    const lines = headers.map(([name, value]) => {
      // D16: "Values are trimmed and lowercased, except `content-type`, which is signed as sent."
      return `${name}:${name === 'content-type' ? variant : value.trim().toLowerCase()}\n`;
    });
    return `${target}\n${lines.join('')}\n${list}\n`;
  });
}

export const EMPTY_HASH = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** The hash of the canonical request of every storage call (D17): a constant text. */
export function hashStorageRequest(signingHost: string): string {
  const { storageContentType, storageSignedHeaders } = SIGNATURE;
  const lines = `content-type:${storageContentType}\nhost:${signingHost}\n`;
  const text = `POST\n//${signingHost}/\n\n${lines}\n${storageSignedHeaders}\n${EMPTY_HASH}`;
  return hash('sha256', text);
}

export interface Scope {
  readonly date: string;
  readonly service: string;
}

/** Creates a signer that caches the day's key, because deriving a key takes three times as long as signing. */
export function createTc3Signer(secret: string) {
  let cached: Scope & { readonly key: Buffer } = { date: '', service: '', key: Buffer.alloc(0) };
  return ({ date, service }: Scope, timestamp: number, requestHash: string): Buffer => {
    if (cached.date !== date || cached.service !== service) {
      const key = [date, service, TERMINATOR].reduce(hmac, Buffer.from(`TC3${secret}`));
      cached = { date, service, key };
    }
    const scope = `${date}/${service}/${TERMINATOR}`;
    return hmac(cached.key, `${SIGNATURE.algorithm}\n${timestamp}\n${scope}\n${requestHash}`);
  };
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** A time of at most 12 digits is always a valid date. */
export function toScopeDate(timestamp: number): string {
  return new Date(timestamp * 1000).toISOString().slice(0, 'YYYY-MM-DD'.length);
}

/** Creates the error for a signature that is rejected. The message never quotes what was sent. */
export type CreateError = (message: string) => Error;

export type ParsedSignature = ReturnType<typeof parseSignature>;

/** Format of each field, and its description. A header name is a token (RFC 9110, section 5.6.2). */
const FIELD_FORMATS = {
  Credential: [
    /^[!-.0-~]{1,256}\/\d{4}-\d\d-\d\d\/[^/]+\/tc3_request$/,
    '<id>/<date as YYYY-MM-DD>/<service>/tc3_request',
  ],
  // Some signers sign every header that they send, but never this many.
  SignedHeaders: [
    /^[!#$%&'*+.^_`|~\da-z-]+(?:;[!#$%&'*+.^_`|~\da-z-]+){0,99}$/i,
    'at most 100 header names, separated by semicolons',
  ],
  Signature: [/^[\da-f]{64}$/, '64 lowercase hexadecimal digits'],
  Timestamp: [/^\d{1,12}$/, 'the number of seconds since 1970, an integer'],
  // The comma, which ends the field, has already been cut off.
  Token: [/^[!-~]*$/, 'visible ASCII characters'],
} as const;

type Field = keyof typeof FIELD_FORMATS;

/** Far longer than any real signature. Node.js limits all headers together to 16 KiB. */
const MAX_LENGTH = 8192;

const STORAGE_FIELDS: readonly Field[] = ['Credential', 'SignedHeaders', 'Signature'];
/** Only the signature of a gateway call has a timestamp and an optional token. */
const GATEWAY_FIELDS: readonly Field[] = [...STORAGE_FIELDS, 'Timestamp', 'Token'];

/** Parses comma-separated fields (D16: a missing space after a comma is accepted). */
export function parseSignature(
  text: string,
  surface: 'gateway' | 'storage',
  createError: CreateError,
) {
  if (text.length > MAX_LENGTH) {
    throw createError(`The signature is longer than ${MAX_LENGTH} characters.`);
  }
  const known = surface === 'gateway' ? GATEWAY_FIELDS : STORAGE_FIELDS;
  const fields = new Map<Field, string>();
  for (const part of text.split(',')) {
    const [start = '', ...rest] = part.split('=');
    const name = known.find((field) => field === start.trim());
    if (name === undefined || rest.length === 0) {
      throw createError(
        `The signature must be a comma-separated list of fields such as Credential=…. Known fields: ${known.join(', ')}.`,
      );
    }
    // Two parsers could choose different ones.
    if (fields.has(name)) throw createError(`The signature contains ${name}=… twice.`);
    const value = rest.join('=').trim();
    const [pattern, form] = FIELD_FORMATS[name];
    if (!pattern.test(value)) throw createError(`The ${name} field must be ${form}.`);
    fields.set(name, value);
  }
  const missing = known.find((name) => name !== 'Token' && !fields.has(name));
  if (missing !== undefined) throw createError(`The signature must contain ${missing}=….`);
  const [id = '', date = '', service = ''] = fields.get('Credential')?.split('/') ?? [];
  // D16: names are lower-cased and sorted, however they were sent.
  const signedHeaders = fields.get('SignedHeaders')?.toLowerCase().split(';').sort() ?? [];
  if (new Set(signedHeaders).size < signedHeaders.length) {
    throw createError('The SignedHeaders field contains a name twice.');
  }
  return {
    id,
    date,
    service,
    signedHeaders,
    signature: Buffer.from(fields.get('Signature') ?? '', 'hex'),
    timestamp: Number(fields.get('Timestamp')),
    token: fields.get('Token') ?? '',
  };
}
