import { createHmac, hash } from 'node:crypto';

const FIELDS = ['Credential', 'SignedHeaders', 'Signature', 'Timestamp', 'Token'] as const;

type Field = (typeof FIELDS)[number];

/** Far longer than any real signature. Node.js limits all headers together to 16 KiB. */
const MAX_LENGTH = 8192;

/** RFC 9110, section 5.6.2, with lowercase letters. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~\da-z-]+$/;

/** Some signers sign every header that they send, but never this many. */
const MAX_SIGNED_HEADERS = 100;

const TERMINATOR = 'tc3_request';

const ID = /^[!-~]{1,256}$/;
const HEX = /^[\da-f]{64}$/;
const DATE = /^\d{4}-\d\d-\d\d$/;
const SECONDS = /^\d{1,12}$/;

/** Characters that a header may contain. The comma, which ends the field, has already been cut off. */
const TOKEN = /^[!-~]*$/;

export const EMPTY_HASH = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

const MULTIPART = 'multipart/form-data';
const BEYOND_ASCII = /[\u0080-\uffff]/;
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Thrown for a signature that cannot be parsed. The message never quotes what was sent. */
export class MalformedSignature extends Error {
  override readonly name = 'MalformedSignature';
}

/**
 * Parses a list such as `content-type;host`. D16: names are lower-cased and sorted, however they were sent.
 *
 * @throws MalformedSignature
 */
function parseSignedHeaders(text: string): readonly string[] {
  const names = text.toLowerCase().split(';');
  if (names.length > MAX_SIGNED_HEADERS || !names.every((name) => HEADER_NAME.test(name))) {
    throw new MalformedSignature(
      `The SignedHeaders field must contain at most ${MAX_SIGNED_HEADERS} header names, separated by semicolons.`,
    );
  }
  if (new Set(names).size < names.length) {
    throw new MalformedSignature('The SignedHeaders field contains a name twice.');
  }
  return names.sort();
}

/** The fields of a TC3 signature. */
export interface Tc3Signature {
  readonly id: string;
  /** UTC date in the credential scope, such as `2023-11-14`. */
  readonly date: string;
  readonly service: string;
  /** Lowercase names, sorted. */
  readonly signedHeaders: readonly string[];
  /** SHA-256 in lowercase hex. */
  readonly signature: string;
  /** Signing time in seconds since the epoch; `undefined` if the signature has none. */
  readonly timestamp: number | undefined;
  /** Session token; empty for permanent credentials. */
  readonly token: string;
}

/**
 * Parses the part of an `Authorization` header that follows `TC3-HMAC-SHA256 `.
 *
 * @param allowed fields that are allowed besides `Credential`, `SignedHeaders` and `Signature`
 * @throws MalformedSignature
 */
export function parseSignature(text: string, allowed: readonly Field[]): Tc3Signature {
  const fields = parseFields(text);
  const { id, date, service } = parseCredential(take(fields, 'Credential', true));
  const signature = take(fields, 'Signature', true);
  assertForm('Signature', HEX, signature, '64 lowercase hexadecimal digits');
  const time = take(fields, 'Timestamp', allowed.includes('Timestamp'));
  if (time !== '') assertForm('Timestamp', SECONDS, time, 'a time in whole seconds since 1970');
  const token = allowed.includes('Token')
    ? (fields.get('Token') ?? '')
    : take(fields, 'Token', false);
  assertForm('Token', TOKEN, token, 'visible ASCII characters');
  return {
    id,
    date,
    service,
    signedHeaders: parseSignedHeaders(take(fields, 'SignedHeaders', true)),
    signature,
    timestamp: time === '' ? undefined : Number(time),
    token,
  };
}

/**
 * D16: a missing space after a comma is accepted. A duplicate field is rejected, because two parsers could
 * choose different ones.
 */
function parseFields(text: string): ReadonlyMap<Field, string> {
  if (text.length > MAX_LENGTH) {
    throw new MalformedSignature(`The signature is longer than ${MAX_LENGTH} characters.`);
  }
  const fields = new Map<Field, string>();
  for (const part of text.split(',')) {
    const at = part.indexOf('=');
    const name = part.slice(0, Math.max(at, 0)).trim();
    const field = FIELDS.find((known) => known === name);
    if (field === undefined) {
      throw new MalformedSignature(
        `The signature must be a comma-separated list of fields such as ${FIELDS[0]}=…. Known fields: ${FIELDS.join(', ')}.`,
      );
    }
    if (fields.has(field)) throw new MalformedSignature(`The signature contains ${field}=… twice.`);
    fields.set(field, part.slice(at + 1).trim());
  }
  return fields;
}

function parseCredential(text: string): { id: string; date: string; service: string } {
  const [id = '', date = '', service = '', terminator, ...more] = text.split('/');
  if (more.length > 0 || terminator !== TERMINATOR || !ID.test(id) || !DATE.test(date)) {
    throw new MalformedSignature(
      `The Credential field must be <id>/<date as YYYY-MM-DD>/<service>/${TERMINATOR}.`,
    );
  }
  return { id, date, service };
}

function take(fields: ReadonlyMap<Field, string>, name: Field, isWanted: boolean): string {
  const value = fields.get(name);
  if (isWanted && (value === undefined || value === '')) {
    throw new MalformedSignature(`The signature must contain ${name}=….`);
  }
  if (!isWanted && value !== undefined) {
    throw new MalformedSignature(`The signature must not contain ${name}=… here.`);
  }
  return value ?? '';
}

function assertForm(name: Field, pattern: RegExp, value: string, form: string): void {
  if (!pattern.test(value)) throw new MalformedSignature(`The ${name} field must be ${form}.`);
}

interface Tc3Request {
  readonly method: string;
  /** As sent, without decoding. */
  readonly path: string;
  /** As sent, without the question mark; empty if there is none. */
  readonly query: string;
  /** The signed headers, sorted by name, with values from `toSignedValue`. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** Returns the canonical request (D16) without its last line, which is the body's SHA-256 in hex. */
export function toCanonicalHead({ method, path, query, headers }: Tc3Request): string {
  const lines = headers.map(([name, value]) => `${name}:${value}\n`).join('');
  const list = headers.map(([name]) => name).join(';');
  return `${method}\n${path}\n${query}\n${lines}\n${list}\n`;
}

/**
 * Returns the canonical request for every storage call (D17). It is a constant text. It does not depend on
 * the real URL and body, and it includes the slashes before the host.
 */
export function toStorageCanonicalRequest(signingHost: string, contentType: string): string {
  const headers = [['content-type', contentType] as const, ['host', signingHost] as const];
  return (
    toCanonicalHead({ method: 'POST', path: `//${signingHost}/`, query: '', headers }) + EMPTY_HASH
  );
}

interface Tc3Scope {
  readonly date: string;
  readonly service: string;
}

/**
 * Returns the string to sign for a TC3 signature.
 *
 * @param requestHash SHA-256 of the canonical request in hex
 */
export function toStringToSign(
  algorithm: string,
  timestamp: number,
  { date, service }: Tc3Scope,
  requestHash: string,
): string {
  return `${algorithm}\n${timestamp}\n${date}/${service}/${TERMINATOR}\n${requestHash}`;
}

/** Returns the UTC date that a scope must have. A time of at most 12 digits is always a valid date. */
export function toScopeDate(timestamp: number): string {
  return new Date(timestamp * 1000).toISOString().split('T', 1)[0] as string;
}

/**
 * Returns a header value as it is signed. D16: "Values are trimmed and lowercased, except `content-type`,
 * which is signed as sent."
 *
 * @example
 * toSignedValue('host', ' Dev.Example '); // 'dev.example'
 */
export function toSignedValue(name: string, value: string): string {
  return name === 'content-type' ? value.trim() : value.trim().toLowerCase();
}

/**
 * Returns the values that may have been signed for a Content-Type. D16: multipart types are accepted with and
 * without the boundary.
 */
export function toContentTypeSpellings(value: string): readonly string[] {
  const type = value.trim();
  const end = type.indexOf(';');
  if (end < 0) return [type];
  const mediaType = type.slice(0, end).trim();
  return mediaType.toLowerCase() === MULTIPART ? [mediaType, type] : [type];
}

/** Signs a text with the key that is derived from a secret, a date and a service. */
export type Signer = (scope: Tc3Scope, text: string) => Buffer;

/**
 * Creates a signer that caches the day's key, because deriving a key takes three times as long as signing.
 */
export function createSigner(secret: string): Signer {
  let known: Tc3Scope & { readonly key: Buffer } = { date: '', service: '', key: Buffer.alloc(0) };
  return ({ date, service }, text) => {
    if (known.date !== date || known.service !== service) {
      const key = [date, service, TERMINATOR].reduce(hmac, Buffer.from(`TC3${secret}`));
      known = { date, service, key };
    }
    return hmac(known.key, text);
  };
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** Returns the SHA-256 hash in hex. */
export function sha256(content: string | Uint8Array): string {
  return hash('sha256', content);
}

/**
 * Decodes the text of a request line or header, which Node.js reads as Latin-1 and signers write as UTF-8.
 * Bytes that are not UTF-8 are rejected, because different bytes would otherwise decode to the same text and
 * have the same signature.
 *
 * @throws MalformedSignature
 */
export function decodeWire(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text;
  try {
    return UTF8.decode(Buffer.from(text, 'latin1'));
  } catch {
    throw new MalformedSignature('The signed parts of the request must be UTF-8.');
  }
}
