/**
 * The contract's documents, and a draft of one of them: a document that has a path of the contract. Prism responds to
 * `Prefer`, and to additions: operations that nothing implements, which a draft or a change in `spec/` has added. Whatever
 * path an addition has, its calls need the credentials of its surface, and get errors in its format.
 */
import {
  applyDispositionRules,
  gatewayRoutes,
  readCredentials,
  SIGNATURE,
  storageRoutes,
  toContractError,
  toWireForm,
} from '@berth/server-stubs/contract';
import type { DocumentRoutes } from '@berth/server-stubs/document';
import type { Call, HandlerResponse, RouteTable } from '@berth/server-stubs/runtime';
import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import { createDocumentRouter, type ServedDocument } from '../document.ts';
import type { ResolvedOptions } from '../options.ts';
import {
  createPrism,
  type Preferences,
  type Prism,
  type PrismResponse,
  readPreferences,
} from '../prism/prism.ts';
import { isObject } from '../user-input.ts';
import type { Auth } from './auth.ts';
import { onGatewayRejected, toDocumentOptions } from './responses.ts';
import {
  DOCUMENT_UPLOAD_PATH,
  type DocumentedSurface,
  errorCodesOf,
  IMPLEMENTED,
  type SurfaceError,
  type SurfaceName,
  toSurfaceError,
} from './surface.ts';

export const BUILT_IN = {
  gateway: { document: gateway, routes: gatewayRoutes },
  storage: { document: storage, routes: storageRoutes },
} as const;

const DOCUMENTED = ['gateway', 'storage'] as const;

/** What the contract's routers share. */
export type Contract = ReturnType<typeof createContract>;

/** @param draft its operations and responses come first */
export function createContract(options: ResolvedOptions, auth: Auth, draft?: ServedDocument) {
  const builtIn = DOCUMENTED.map((surface) =>
    serveAdditions(surface, BUILT_IN[surface], options, auth),
  );
  const documents = draft === undefined ? builtIn : [draft, ...builtIn];
  return {
    options,
    auth,
    /** Each with its additions. */
    documents,
    /** Responds to an implemented operation with what is documented. A draft may leave it out. */
    respond(surface: SurfaceName, call: Call) {
      const found = documents.find(({ prism }) => prism.has(call.operationId)) as ServedDocument;
      return respondAsDocumented(found.prism, call, surface);
    },
  };
}

/** Returns the surface that a draft extends. Any document may have the path of the upload target. */
export function findSurface({ paths }: DocumentRoutes['document']): DocumentedSurface | undefined {
  return DOCUMENTED.find((surface) =>
    Object.keys(BUILT_IN[surface].document.paths).some(
      (path) => path !== DOCUMENT_UPLOAD_PATH && Object.hasOwn(Object(paths), path),
    ),
  );
}

/** All gateway operations accept the same credentials. */
const [{ security: GATEWAY_SECURITY } = { security: [] }] = gatewayRoutes.routes;

/** Serves the additions of a document of the contract, or of a draft of it. */
export function serveAdditions(
  surface: DocumentedSurface,
  { document, routes: table }: Pick<DocumentRoutes, 'document' | 'routes'>,
  options: ResolvedOptions,
  auth: Auth,
): ServedDocument {
  const prism = createPrism(document, options);
  const { env, wireProfile } = options;
  const isGateway = surface === 'gateway';
  const alternatives = isGateway ? GATEWAY_SECURITY : [['storage']];
  const routes = table.routes
    .filter(({ operationId }) => !IMPLEMENTED.has(operationId))
    .map((route) => ({ ...route, security: route.security.length > 0 ? alternatives : [] }));
  const { authorization: name } = wireProfile.storageHeaders;
  const securitySchemes: RouteTable['securitySchemes'] = {
    ...gatewayRoutes.securitySchemes,
    storage: { type: 'apiKey', in: 'header', name },
  };
  const withEnv = (call: Call) => Object.assign(call, { env });
  const respond = (call: Call) => respondToAddition(prism, call, surface);
  const router = createDocumentRouter({ ...table, routes, securitySchemes }, respond, {
    ...toDocumentOptions(options, surface),
    ...(isGateway && { onRejected: onGatewayRejected }),
    toError: (error) => toContractError(surface, error),
    security: {
      bearerToken: (token, call) => auth.gateway.bearerToken(token, withEnv(call)),
      signature: (text, call) =>
        text.startsWith(`${SIGNATURE.algorithm} `) && auth.gateway.signature(text, withEnv(call)),
      storage: (_, call) =>
        auth.storage.credentials(readCredentials(call.request.headers, wireProfile), withEnv(call)),
    },
    encodeBody: (body) => toWireForm(body, wireProfile),
  });
  return { prism, router, routes, surface };
}

/** Responds with the example of the document, in which the request ID (D9) and `statusCode` (D20) are those of the call. */
async function respondToAddition(
  prism: Prism,
  call: Call,
  surface: DocumentedSurface,
): Promise<HandlerResponse> {
  const { request, requestId } = call;
  const found = await respondAsDocumented(prism, call, surface);
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
async function respondAsDocumented(
  prism: Prism,
  call: Call,
  surface: SurfaceName,
): Promise<PrismResponse> {
  const { operationId, request } = call;
  const preferences = readPreferences(request.headers.prefer) ?? {};
  const standard = findStandardError(surface, preferences);
  if (standard !== undefined && !prism.documents(operationId, standard.status)) throw standard;
  // Browsers do not know that errors of uploads are XML.
  const accept = surface === 'upload' ? undefined : request.headers.accept;
  const found = await prism.respond(operationId, accept, preferences);
  const error = found.status < 400 ? undefined : findError(found.value);
  if (error === undefined) return found;
  // The example of a range such as `4XX` may be of another status. Only a draft has codes of its own.
  const isStandard = errorCodesOf(surface).includes(error.code);
  if (standard !== undefined && isStandard) throw standard;
  const { status } = found;
  throw toSurfaceError(surface, error.code, { status, message: String(error.message) });
}

/** Returns the contract's first error with the status that the caller prefers, if that is all it prefers. */
function findStandardError(
  surface: SurfaceName,
  { code = 200, example, dynamic }: Preferences,
): SurfaceError | undefined {
  if (code < 400 || example !== undefined || dynamic) return undefined;
  const [first] = errorCodesOf(surface, code);
  return first === undefined ? undefined : toSurfaceError(surface, first);
}

/** Returns the fields of an error of the contract: JSON, on storage inside an envelope, or the content of an XML document. */
function findError(body: unknown): { code: string; message: unknown } | undefined {
  if (!isObject(body)) return undefined;
  const { body: content, Code, Message, code = Code, message = Message } = body;
  return typeof code === 'string' ? { code, message } : findError(content);
}
