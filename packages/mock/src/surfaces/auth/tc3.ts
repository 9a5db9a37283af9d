import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { GatewayLogin, StorageCredentials } from '@berth/server-stubs';
import { signature as constants, limit } from '../../contract/defaults.ts';
import type { WireProfile } from '../../contract/wire-profile.ts';
import { KEY_PAIR } from './credentials.ts';

const TERMINATOR = 'tc3_request';

const MULTIPART = 'multipart/form-data';

const NO_FIT =
  'The signature does not fit the request, or its key pair is not the one of the mock.';

/** Why a signature is refused. */
export class SignatureError extends Error {
  override readonly name = 'SignatureError';
}

interface Parsed {
  readonly id: string;
  readonly date: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
}

/**
 * Judges the signature of a gateway call (D16); its body, which the signature covers, is judged later.
 *
 * @param now milliseconds since the epoch
 * @throws SignatureError
 */
export function judgeGatewaySignature(
  value: string,
  { request, rawPath, rawQuery = '' }: Pick<GatewayLogin, 'request' | 'rawPath' | 'rawQuery'>,
  now: number,
): { id: string; verifyBody?: (hash: string) => void } {
  const fields = parseFields(value.slice(constants.algorithm.length));
  const parsed = parse(fields);
  const timestamp = Number(fields.get('Timestamp'));
  assertTime(timestamp, parsed.date, now);
  if (!parsed.signedHeaders.includes('host'))
    throw new SignatureError('SignedHeaders must contain host.');
  const verify = (hash: string) => {
    const isFit = contentTypesOf(request.headers['content-type']).some((type) => {
      const headers = parsed.signedHeaders.map((name) => {
        const given = String(request.headers[name] ?? '').trim();
        return [name, decode(name === 'content-type' ? type : given.toLowerCase())] as const;
      });
      const [path, query] = [decode(rawPath), decode(rawQuery)];
      const text = toCanonical(request.method ?? 'GET', path, query, headers, hash);
      return fits(parsed, timestamp, text);
    });
    if (!isFit) throw new SignatureError(NO_FIT);
  };
  const { 'transfer-encoding': coding, 'content-length': length = '0' } = request.headers;
  if (coding !== undefined || Number(length) > 0) return { id: parsed.id, verifyBody: verify };
  verify(sha256(''));
  return { id: parsed.id };
}

/**
 * Judges the signature of a storage call (D17), which covers its time and nothing of the request.
 *
 * @throws SignatureError
 */
export function judgeStorageSignature(
  { authorization, timestamp }: Pick<StorageCredentials, 'authorization' | 'timestamp'>,
  { storageHeaders }: WireProfile,
  now: number,
): { id: string } {
  const { algorithm, storageVersion } = constants;
  const prefix = `${storageVersion} ${algorithm} `;
  if (!authorization.startsWith(prefix)) {
    throw new SignatureError(
      `The header ${storageHeaders.authorization} must begin with ${prefix.trim()} and a space.`,
    );
  }
  const parsed = parse(parseFields(authorization.slice(prefix.length)));
  assertTime(timestamp, parsed.date, now);
  if (!fits(parsed, timestamp, toStorageCanonical())) throw new SignatureError(NO_FIT);
  return { id: parsed.id };
}

/** D16: a verifier "accepts a missing space after commas". */
function parseFields(text: string): Map<string, string> {
  const pairs = text.split(',').map((part) => {
    const at = part.indexOf('=');
    return [part.slice(0, Math.max(at, 0)).trim(), part.slice(at + 1).trim()] as const;
  });
  return new Map(pairs);
}

function parse(fields: Map<string, string>): Parsed {
  const take = (name: string) => {
    const value = fields.get(name);
    if (value) return value;
    throw new SignatureError(`The signature has no ${name}=….`);
  };
  const [id = '', date = '', service = '', terminator] = take('Credential').split('/');
  if (service !== constants.service || terminator !== TERMINATOR) {
    throw new SignatureError(
      `The field Credential must be <id>/<date as YYYY-MM-DD>/${constants.service}/${TERMINATOR}.`,
    );
  }
  const signedHeaders = take('SignedHeaders').toLowerCase().split(';').sort();
  return { id, date, signedHeaders, signature: take('Signature') };
}

/** D18. Wrong clocks are a common cause of refusals, so the text says the mock's own time. */
function assertTime(timestamp: number, date: string, now: number): void {
  const seconds = Math.floor(now / 1000);
  const window = limit('clockWindowSeconds');
  if (!(Math.abs(seconds - timestamp) <= window)) {
    throw new SignatureError(
      `The time of the signature is more than ${window} s off: the mock's time is ${seconds}.`,
    );
  }
  if (date !== toDate(timestamp)) {
    throw new SignatureError('The date in the field Credential must be the UTC date of the time.');
  }
}

/**
 * The value of the header that signs storage calls, with the key pair of every mock.
 *
 * @param timestamp whole seconds since the epoch, for the header beside it
 */
export function signStorage(timestamp: number): string {
  const { algorithm, service, storageVersion, storageSignedHeaders } = constants;
  const date = toDate(timestamp);
  const signature = sign(date, timestamp, toStorageCanonical());
  return `${storageVersion} ${algorithm} Credential=${KEY_PAIR.id}/${date}/${service}/${TERMINATOR}, SignedHeaders=${storageSignedHeaders}, Signature=${signature}`;
}

function fits({ id, date, signature }: Parsed, timestamp: number, text: string): boolean {
  return id === KEY_PAIR.id && isSame(sign(date, timestamp, text), signature);
}

function sign(date: string, timestamp: number, text: string): string {
  const parts = [date, constants.service, TERMINATOR];
  const toSign = `${constants.algorithm}\n${timestamp}\n${parts.join('/')}\n${sha256(text)}`;
  const key = parts.reduce<Buffer>(hmac, Buffer.from(`TC3${KEY_PAIR.secret}`));
  return hmac(key, toSign).toString('hex');
}

/** A constant text, whatever the real address and body; the slashes before the host are part of it. */
function toStorageCanonical(): string {
  const { storageSigningHost: host, storageContentType } = constants;
  const headers = [
    ['content-type', storageContentType],
    ['host', host],
  ] as const;
  return toCanonical('POST', `//${host}/`, '', headers, sha256(''));
}

function toDate(timestamp: number): string {
  return new Date(timestamp * 1000).toISOString().slice(0, 10);
}

function toCanonical(
  method: string,
  path: string,
  query: string,
  headers: readonly (readonly [name: string, value: string])[],
  bodyHash: string,
): string {
  const lines = headers.map(([name, value]) => `${name}:${value}\n`).join('');
  const names = headers.map(([name]) => name).join(';');
  return `${method}\n${path}\n${query}\n${lines}\n${names}\n${bodyHash}`;
}

/** D16: a verifier accepts "both multipart spellings", with the boundary and with it cut. */
function contentTypesOf(value = ''): string[] {
  const [type = ''] = value.split(';', 1);
  const isMultipart = type.trim().toLowerCase() === MULTIPART;
  return isMultipart ? [value.trim(), type.trim()] : [value.trim()];
}

/** Node reads bytes as Latin-1, signers write UTF-8. */
function decode(text: string): string {
  return Buffer.from(text, 'latin1').toString();
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function isSame(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}
