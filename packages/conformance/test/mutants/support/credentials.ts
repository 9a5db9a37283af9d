import { createHmac, hash } from 'node:crypto';
import type { Hooks, MutatedRequest } from '../../proxy/messages.ts';
import type { Mutant, MutantContext } from '../mutant.ts';
import { gatewayRequest, toRefusal } from './gateway.ts';
import { OPERATIONS } from './storage.ts';

/** Sets valid credentials on a request. */
export function authenticate({ headers }: MutatedRequest, { authorization }: MutantContext): void {
  headers.set('Authorization', authorization);
}

/** Sets valid credentials on a storage call. */
export function authenticateStorage({ headers }: MutatedRequest, context: MutantContext): void {
  for (const [name, value] of Object.entries(context.storageHeaders())) headers.set(name, value);
}

type IsAccepted = (
  value: string | undefined,
  request: MutatedRequest,
  context: MutantContext,
) => unknown;

const authenticateIf =
  (isAccepted: IsAccepted, context: MutantContext) =>
  (request: MutatedRequest): void => {
    const value = request.headers.get('Authorization');
    if (isAccepted(value, request, context)) authenticate(request, context);
  };

/** Accepts requests with a matching `Authorization`, even if the server would reject them. */
export const accept =
  (isAccepted: IsAccepted): Mutant['create'] =>
  (context) =>
    gatewayRequest(authenticateIf(isAccepted, context));

/** The same for WebSocket handshakes. */
export const acceptHandshake =
  (isAccepted: IsAccepted): Mutant['create'] =>
  (context) => ({ upgrade: authenticateIf(isAccepted, context) });

/** Accepts storage calls with matching headers, even if the server would reject them. */
export const acceptStorage =
  (
    isAccepted: (get: (name: string) => string | undefined, context: MutantContext) => unknown,
    operations: readonly string[] = OPERATIONS,
  ): Mutant['create'] =>
  (context) => ({
    request(call) {
      const isOne = operations.includes(call.operation ?? '');
      if (isOne && isAccepted((name) => call.headers.get(name), context))
        authenticateStorage(call, context);
    },
  });

/** Rejects requests with a matching `Authorization`. */
export const reject = (
  isRejected: (value: string, request: MutatedRequest) => unknown,
  status = 401,
  code = 'INVALID_CREDENTIALS',
): Hooks =>
  gatewayRequest((request) => {
    const value = request.headers.get('Authorization');
    return value && isRejected(value, request) ? toRefusal(status, code) : undefined;
  });

type Parts = Record<string, string>;

/** Accepts signed requests that pass the mutant's own verification, even if the server would reject them. */
export const acceptSigned =
  (
    isAccepted: (request: MutatedRequest, context: MutantContext, parts: Parts) => unknown,
  ): Mutant['create'] =>
  (context) =>
    gatewayRequest((request) => {
      const parts = readSignature(request);
      if (parts && isAccepted(request, context, parts)) authenticate(request, context);
    });

/** Accepts requests whose signature is valid for a verifier that is lax in one way. */
export const acceptIfSignedFor = (
  toLax: Lax | ((request: MutatedRequest, context: MutantContext) => Lax | undefined),
): Mutant['create'] =>
  acceptSigned((request, context) => {
    const lax = typeof toLax === 'function' ? toLax(request, context) : toLax;
    return lax !== undefined && isSigned(request, context, lax);
  });

/** Rejects signed requests that the server would accept. */
export const rejectSigned =
  (
    isRejected: (request: MutatedRequest, parts: Parts, context: MutantContext) => unknown,
    status = 401,
  ): Mutant['create'] =>
  (context) =>
    gatewayRequest((request) => {
      const parts = readSignature(request);
      return parts && isRejected(request, parts, context)
        ? toRefusal(status, 'SIGNATURE_WRONG')
        : undefined;
    });

const PREFIX = 'TC3-HMAC-SHA256 ';

/** What a lax verifier uses instead of the values in the request. */
interface Lax {
  method?: string;
  path?: string;
  query?: string;
  body?: Buffer | string;
  service?: string;
  timestamp?: number;
  /** Whether `host` need not be signed. */
  anyHeaders?: boolean;
  header?: (name: string, value: string) => string;
}

/** Returns the parts of a request's TC3 signature by name, or `undefined` if it has none. */
export function readSignature({ headers }: MutatedRequest): Parts | undefined {
  const value = headers.get('Authorization') ?? '';
  if (!value.startsWith(PREFIX)) return undefined;
  const parts = value.slice(PREFIX.length).split(',');
  return Object.fromEntries(parts.map((part) => part.trim().split(/=(.*)/s).slice(0, 2)));
}

export const signedNames = ({ SignedHeaders = '' }: Parts): string[] => SignedHeaders.split(';');

/** Returns whether a signature is valid for a verifier that is lax in one way. */
export function isSigned(
  request: MutatedRequest,
  { keyPair }: MutantContext,
  lax: Lax = {},
): boolean {
  const given = readSignature(request);
  if (given === undefined) return false;
  const [id, date = '', service = '', end = ''] = (given.Credential ?? '').split('/');
  const { header = (_: string, value: string) => value } = lax;
  const names = signedNames(given);
  if (!names.includes('host') && !lax.anyHeaders) return false;
  if (id !== keyPair.id) return false;
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
    hash('sha256', lax.body ?? request.body),
  ].join('\n');
  const signedFor = lax.service ?? service;
  const text = [
    ...[PREFIX.trim(), lax.timestamp ?? given.Timestamp],
    ...[`${date}/${signedFor}/${end}`, hash('sha256', canonical)],
  ].join('\n');
  const key = [date, signedFor, end].reduce<Buffer>(hmac, Buffer.from(`TC3${keyPair.secret}`));
  return hmac(key, text).toString('hex') === given.Signature;
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** Returns a token's claims, or an empty object if the text is not a token. */
export function claimsOf(value = ''): { aud?: unknown; exp?: number } | undefined {
  return parsePart(value, 1);
}

export function headOf(value = ''): { alg?: string } | undefined {
  return parsePart(value, 0);
}

function parsePart(value: string, index: number) {
  try {
    const part = value.replace(/^Bearer /, '').split('.')[index] ?? '';
    return JSON.parse(Buffer.from(part, 'base64url').toString());
  } catch {
    return undefined;
  }
}
