/** Prism's responses for the contract: to calls with `Prefer`, and to additions, which are operations that nothing implements. */
import {
  applyDispositionRules,
  gatewayRoutes,
  readCredentials,
  toContractError,
  toWireForm,
} from '@berth/server-stubs/contract';
import type { DocumentRoutes } from '@berth/server-stubs/document';
import type { Call, HandlerResponse, Router, RouteTable } from '@berth/server-stubs/runtime';
import { createDocumentRouter } from '../document.ts';
import type { ResolvedOptions } from '../options.ts';
import {
  type Preferences,
  type Prism,
  type PrismResponse,
  readPreferences,
} from '../prism/prism.ts';
import { isObject } from '../user-input.ts';
import { type Auth, isSignature } from './auth.ts';
import { toDocumentOptions } from './responses.ts';
import { type DocumentedSurface, IMPLEMENTED, type SurfaceName } from './surface.ts';
import { errorCodesOf, type SurfaceError, toErrorWithCode } from './surface-errors.ts';

/** A document of the contract, or a draft of it. */
export interface ContractDocument extends Pick<DocumentRoutes, 'document' | 'routes'> {
  readonly surface: DocumentedSurface;
}

/** All gateway operations accept the same credentials. */
const [{ security: GATEWAY_SECURITY } = { security: [] }] = gatewayRoutes.routes;

/**
 * Serves the additions of a draft, or of a change in `spec/`. Calls to an addition need its surface's credentials and get
 * errors in its surface's format, whatever the path.
 */
export function serveAdditions(
  { surface, routes: table }: ContractDocument,
  options: ResolvedOptions,
  auth: Auth,
  prism: Prism,
): Router {
  const { env, wireProfile } = options;
  const alternatives = surface === 'gateway' ? GATEWAY_SECURITY : [['storage']];
  const routes = table.routes
    .filter(({ operationId }) => !IMPLEMENTED.has(operationId))
    .map((route) => ({ ...route, security: route.security.length > 0 ? alternatives : [] }));
  const { authorization: name } = wireProfile.storageHeaders;
  const securitySchemes: RouteTable['securitySchemes'] = {
    ...gatewayRoutes.securitySchemes,
    storage: { type: 'apiKey', in: 'header', name },
  };
  const respond = (call: Call) => respondToAddition(prism, surface, call);
  return createDocumentRouter({ ...table, routes, securitySchemes }, respond, {
    ...toDocumentOptions(options, surface),
    toError: (error) => toContractError(surface, error),
    security: {
      bearerToken: (token, call) => auth.gateway.bearerToken(token, call),
      signature: (text, call) => isSignature(text) && auth.gateway.signature(text, call),
      storage: (_, call) =>
        auth.storage.credentials(readCredentials(call.request.headers, wireProfile), call),
    },
    findEnv: () => env,
    encodeBody: (body) => toWireForm(body, wireProfile),
  });
}

/** Responds with the example of the document, in which the request ID (D9) and `statusCode` (D20) are those of the call. */
async function respondToAddition(
  prism: Prism,
  surface: DocumentedSurface,
  call: Call,
): Promise<HandlerResponse> {
  const { request, requestId } = call;
  const found = await respondAsDocumented(prism, surface, call);
  const { status, value } = found;
  const headers: Record<string, string> = { ...found.headers, 'x-request-id': requestId };
  if (surface === 'gateway') applyDispositionRules(request, headers);
  if (surface === 'gateway' || !isObject(value) || !isObject(value.body)) {
    return { ...found, headers };
  }
  return { status, headers, body: { statusCode: status, body: { ...value.body, requestId } } };
}

/**
 * Returns the example of a success, or what the caller prefers.
 *
 * @throws the documented error, in the form of its surface; HttpError if the document has no such response
 */
export async function respondAsDocumented(
  prism: Prism,
  surface: SurfaceName,
  call: Call,
): Promise<PrismResponse> {
  const { operationId, request } = call;
  const preferences = readPreferences(request.headers.prefer) ?? {};
  const standard = findStandardError(surface, preferences);
  if (standard !== undefined && !prism.hasStatus(operationId, standard.status)) throw standard;
  // Browsers do not know that errors of uploads are XML.
  const accept = surface === 'upload' ? undefined : request.headers.accept;
  const found = await prism.respond(operationId, accept, preferences);
  const error = found.status < 400 ? undefined : findError(found.value);
  if (error === undefined) return found;
  // The example of a range such as `4XX` may be of another status. Only drafts define other codes.
  const isStandard = errorCodesOf(surface).includes(error.code);
  if (standard !== undefined && isStandard) throw standard;
  const { status } = found;
  throw toErrorWithCode(surface, error.code, { status, message: String(error.message) });
}

/** Returns the contract's first error with the status that the caller prefers, if that is all it prefers. */
function findStandardError(
  surface: SurfaceName,
  { code = 200, example, dynamic }: Preferences,
): SurfaceError | undefined {
  if (code < 400 || example !== undefined || dynamic) return undefined;
  const [first] = errorCodesOf(surface, code);
  return first === undefined ? undefined : toErrorWithCode(surface, first);
}

/** Returns the fields of an error of the contract: JSON, on storage inside an envelope, or the content of an XML document. */
function findError(body: unknown): { code: string; message: unknown } | undefined {
  if (!isObject(body)) return undefined;
  const { body: content, Code, Message, code = Code, message = Message } = body;
  return typeof code === 'string' ? { code, message } : findError(content);
}
