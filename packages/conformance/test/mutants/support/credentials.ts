import type { Hooks, MutatedRequest } from '../../proxy/messages.ts';
import { readParts, toSignature } from '../../second-server/signature.ts';
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

/** Accepts requests with a matching `Authorization`, even if the server would reject them. */
export const accept =
  (isAccepted: IsAccepted): Mutant['create'] =>
  (context) =>
    gatewayRequest((request) => {
      const value = request.headers.get('Authorization');
      if (isAccepted(value, request, context)) authenticate(request, context);
    });

/** Accepts storage calls with matching headers, even if the server would reject them. */
export const acceptStorage =
  (
    isAccepted: (get: (name: string) => string | undefined, context: MutantContext) => unknown,
    operations: readonly string[] = OPERATIONS,
  ): Mutant['create'] =>
  (context) => ({
    request(call) {
      const isCovered = operations.includes(call.operation ?? '');
      if (isCovered && isAccepted((name) => call.headers.get(name), context))
        authenticateStorage(call, context);
    },
  });

/** Rejects requests with a matching `Authorization`. */
export const reject = (isRejected: (value: string) => unknown): Hooks =>
  gatewayRequest(({ headers }) => {
    const value = headers.get('Authorization');
    return value && isRejected(value) ? toRefusal(401, 'INVALID_CREDENTIALS') : undefined;
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
export const readSignature = ({ headers }: MutatedRequest): Parts | undefined =>
  readParts(headers.get('Authorization'));

export const signedNames = ({ SignedHeaders = '' }: Parts): string[] => SignedHeaders.split(';');

/** Returns whether a signature is valid for a verifier that is lax in one way. */
export function isSigned(
  request: MutatedRequest,
  { keyPair }: MutantContext,
  { service, timestamp, anyHeaders, header = (_, value) => value, ...lax }: Lax = {},
): boolean {
  const parts = readSignature(request);
  const [id, date = '', signedService = ''] = parts?.Credential?.split('/') ?? [];
  const names = signedNames(parts ?? {});
  if (id !== keyPair.id || !(anyHeaders || names.includes('host'))) return false;
  const headers = names.map((name) => {
    const value = request.headers.get(name)?.trim() ?? '';
    const isType = name === 'content-type';
    const text = isType ? value.replace(/(?<=^multipart\/form-data);.*/, '') : value.toLowerCase();
    return [name, header(name, text)] as const;
  });
  const { method, path, query, body } = request;
  const scope = {
    date,
    service: service ?? signedService,
    timestamp: String(timestamp ?? parts?.Timestamp),
  };
  const expected = toSignature(
    { method, path, query, body, ...lax, headers },
    scope,
    keyPair.secret,
  );
  return expected === parts?.Signature;
}

/** Returns the claims of a token, or `undefined` if the text is no token. */
export const claimsOf = (value = ''): { exp?: number } | undefined => parsePart(value, 1);

export const headOf = (value = ''): { alg?: string } | undefined => parsePart(value, 0);

function parsePart(value: string, index: number) {
  try {
    const part = value.replace(/^Bearer /, '').split('.')[index] ?? '';
    return JSON.parse(Buffer.from(part, 'base64url').toString());
  } catch {
    return undefined;
  }
}
