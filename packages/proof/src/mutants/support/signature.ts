import { createHash, createHmac } from 'node:crypto';
import type { MutatedRequest } from '../../proxy/messages.ts';
import type { MutantContext } from '../mutant.ts';

const PREFIX = 'TC3-HMAC-SHA256 ';

/** What a lax verifier takes instead of what the request says. */
export interface Lax {
  method?: string;
  path?: string;
  query?: string;
  body?: Buffer | string;
  service?: string;
  timestamp?: number;
  /** Of any id. */
  secret?: string;
  /** Host need not be among the signed headers. */
  anyHeaders?: boolean;
  header?: (name: string, value: string) => string;
}

/** The parts of a signature, version 3, by name; `undefined` where a request has none. */
export function readSignature({ headers }: MutatedRequest): Record<string, string> | undefined {
  const value = headers.get('Authorization') ?? '';
  if (!value.startsWith(PREFIX)) return undefined;
  const parts = value.slice(PREFIX.length).split(',');
  return Object.fromEntries(parts.map((part) => part.trim().split(/=(.*)/s).slice(0, 2)));
}

/** Whether a signature fits its request, as a verifier sees it that is lax in one way. */
export function fitsSignature(
  request: MutatedRequest,
  { keyPair }: MutantContext,
  lax: Lax = {},
): boolean {
  const given = readSignature(request);
  if (given === undefined) return false;
  const [id, date = '', service = '', end = ''] = (given.Credential ?? '').split('/');
  const { header = (_: string, value: string) => value } = lax;
  const names = (given.SignedHeaders ?? '').split(';');
  if (!names.includes('host') && !lax.anyHeaders) return false;
  if (id !== keyPair.id && lax.secret === undefined) return false;
  const lines = names.map((name) => {
    const value = request.headers.get(name)?.trim() ?? '';
    return `${name}:${header(name, name === 'content-type' ? value.replace(/(?<=^multipart\/form-data);.*/, '') : value.toLowerCase())}`;
  });
  const canonical = [
    lax.method ?? request.method,
    lax.path ?? request.path,
    lax.query ?? request.query,
    ...lines,
    '',
    names.join(';'),
    sha256(lax.body ?? request.body),
  ].join('\n');
  const signedFor = lax.service ?? service;
  const text = [
    ...[PREFIX.trim(), lax.timestamp ?? given.Timestamp],
    ...[`${date}/${signedFor}/${end}`, sha256(canonical)],
  ].join('\n');
  const secret = Buffer.from(`TC3${lax.secret ?? keyPair.secret}`);
  const key = [date, signedFor, end].reduce<Buffer>(hmac, secret);
  return hmac(key, text).toString('hex') === given.Signature;
}

/** Lets a request in that the server would refuse. */
export function letIn({ headers }: MutatedRequest, { authorization }: MutantContext): void {
  headers.set('Authorization', authorization);
}

function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}

function hmac(key: Uint8Array, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
