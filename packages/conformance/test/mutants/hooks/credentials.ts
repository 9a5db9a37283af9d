import type { MutatedRequest } from '../../proxy/messages.ts';
import { readParts, toSignature } from '../../second-server/signature.ts';
import type { MutantContext } from '../context.ts';
import type { Mutant } from '../mutant.ts';
import { gatewayRequest, isOfService, toRefusal } from './gateway.ts';

/** Sets valid credentials on a gateway or storage call. */
export function authenticate(request: MutatedRequest, context: MutantContext): void {
  const { authorization, storageHeaders } = context;
  const valid = request.isGateway ? { Authorization: authorization } : storageHeaders();
  for (const [name, value] of Object.entries(valid)) request.headers.set(name, value);
}

type IsAccepted = (
  get: (name: string) => string | undefined,
  context: MutantContext,
  request: MutatedRequest,
) => unknown;

/** Accepts calls with matching headers, even if the server would reject them. */
export const accept =
  (isAccepted: IsAccepted): Mutant['create'] =>
  (context) => ({
    request(request) {
      const isCall = request.isGateway || request.operation !== undefined;
      if (isCall && isAccepted((name) => request.headers.get(name), context, request))
        authenticate(request, context);
    },
  });

/** Changes requests on connections on which a call has succeeded before. */
export const onTrusted =
  (change: (request: MutatedRequest, context: MutantContext) => unknown): Mutant['create'] =>
  (context) => {
    const trusted = new WeakSet<object>();
    return {
      request(request) {
        if (trusted.has(request.connection)) change(request, context);
      },
      response(response, request) {
        const isSuccess = request.isGateway ? isOfService(response) : response.status === 200;
        if (isSuccess) trusted.add(request.connection);
      },
    };
  };

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
export const acceptIfSignedFor = (lax: Lax): Mutant['create'] =>
  acceptSigned((request, context) => isSigned(request, context, lax));

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
const readSignature = ({ headers }: MutatedRequest): Parts | undefined =>
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
  const signed = { method, path, query, body, ...lax, headers };
  return toSignature(signed, scope, keyPair.secret) === parts?.Signature;
}
