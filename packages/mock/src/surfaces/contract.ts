/**
 * The documents of the contract: the gateway's and the storage API's, and a draft of one of them. Prism responds from
 * them to `Prefer`, and to the operations that nothing implements, which the draft or a change in `spec/` has added.
 * Whatever path an added operation has, its calls need the credentials of its document, and get errors in its format.
 */
import {
  applyDispositionRules,
  gatewayRoutes,
  readCredentials,
  storageRoutes,
  toContractError,
  toWireForm,
} from '@berth/server-stubs/contract';
import type { DocumentRoutes } from '@berth/server-stubs/document';
import type { Call, HandlerResponse, Router, RouteTable } from '@berth/server-stubs/runtime';
import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import { createDocumentRouter, isDocumented, type ServedDocument } from '../document.ts';
import { type Live, toConstant } from '../live.ts';
import type { ResolvedOptions } from '../options.ts';
import {
  createPrism,
  type Preferences,
  type Prism,
  type PrismResponse,
  readPreferences,
} from '../prism/prism.ts';
import type { Services } from '../services/create-services.ts';
import {
  DOCUMENT_UPLOAD_PATH,
  type DocumentedSurface,
  errorCodesOf,
  STORAGE_OPERATIONS,
  type SurfaceName,
  toSurfaceError,
} from '../surface.ts';
import { isObject } from '../user-input.ts';
import { type Auth, authenticateGateway } from './auth.ts';
import { toDocumentOptions } from './responses.ts';

export const BUILT_IN = {
  gateway: { document: gateway, routes: gatewayRoutes },
  storage: { document: storage, routes: storageRoutes },
} as const;

const DOCUMENTED = ['gateway', 'storage'] as const;

/** The operations that the mock implements. */
const IMPLEMENTED: ReadonlySet<string> = new Set([
  ...STORAGE_OPERATIONS,
  'cloudrun-get-root',
  'cloudrun-post-root',
  'cloudrun-get',
  'cloudrun-post',
  'uploadFile',
]);

export function createContract(
  options: ResolvedOptions,
  auth: Auth,
  draft: Live<ServedDocument> | undefined,
) {
  const builtIn = DOCUMENTED.map((surface) =>
    toConstant(serveAdditions(surface, BUILT_IN[surface], options, auth)),
  );
  const documents = draft === undefined ? builtIn : [draft, ...builtIn];
  const extended = documents.filter(
    (document) => document === draft || document.current.routes.length > 0,
  );
  return {
    /** Whether any operations may have been added. */
    isExtended: extended.length > 0,
    /** Returns the document that has added an operation. */
    findAddition: (request: Parameters<Router['find']>[0]) =>
      extended.find(({ current }) => current.router.find(request))?.current,
    /** Responds to an operation that the mock implements with what is documented. A draft may leave it out. */
    respond(surface: SurfaceName, call: Call, preferences?: Preferences) {
      const found = documents.find(({ current }) => current.prism.has(call.operationId));
      const { current } = found as Live<ServedDocument>;
      return respondAsDocumented(current.prism, call, surface, preferences);
    },
  };
}

/** What the routers of the contract are made of. */
export interface ContractParts {
  readonly options: ResolvedOptions;
  readonly auth: Auth;
  readonly services: Services;
  readonly contract: ReturnType<typeof createContract>;
}

/** A draft has a path of the contract. Any document may have the path of the upload target. */
export function findSurface({ paths }: DocumentRoutes['document']): DocumentedSurface | undefined {
  return DOCUMENTED.find((surface) =>
    Object.keys(BUILT_IN[surface].document.paths).some(
      (path) => path !== DOCUMENT_UPLOAD_PATH && Object.hasOwn(Object(paths), path),
    ),
  );
}

/** Serves the operations of a document that nothing implements. */
export function serveAdditions(
  surface: DocumentedSurface,
  { document, routes: table }: Pick<DocumentRoutes, 'document' | 'routes'>,
  options: ResolvedOptions,
  auth: Auth,
): ServedDocument {
  const prism = createPrism(document, options);
  const { env, wireProfile } = options;
  const isGateway = surface === 'gateway';
  const header = isGateway ? 'authorization' : wireProfile.storageHeaders.authorization;
  const authenticate = (_: unknown, call: Call) => {
    const login = Object.assign(call, { env, envId: env });
    if (isGateway) return authenticateGateway(login, auth.gateway);
    return auth.storage.credentials(readCredentials(call.request.headers, wireProfile), login);
  };
  const routes = table.routes
    .filter(({ operationId }) => !IMPLEMENTED.has(operationId))
    .map((route) => ({ ...route, security: route.security.length > 0 ? [['credentials']] : [] }));
  const secured: RouteTable = {
    ...table,
    routes,
    securitySchemes: { credentials: { type: 'apiKey', in: 'header', name: header } },
  };
  const router = createDocumentRouter(secured, (call) => respondToAddition(prism, call, surface), {
    ...toDocumentOptions(options, surface),
    toError: (error) => toContractError(surface, error),
    security: { credentials: authenticate },
    encodeBody: (body) => toWireForm(body, wireProfile),
  });
  return { prism, router, routes, surface, isOfContract: true };
}

/** Responds with the example of the document, in which the request ID (D9) and `statusCode` (D20) are those of the call. */
async function respondToAddition(
  prism: Prism,
  call: Call,
  surface: DocumentedSurface,
): Promise<HandlerResponse> {
  const { request, requestId } = call;
  const preferences = readPreferences(request.headers.prefer);
  const found = await respondAsDocumented(prism, call, surface, preferences);
  const { status, body, content } = found;
  const headers: Record<string, string> = { ...found.headers, 'x-request-id': requestId };
  if (surface === 'gateway') applyDispositionRules(request, headers);
  if (surface === 'gateway' || !isObject(body) || !isObject(body.body)) {
    return { status, headers, body: content };
  }
  return { status, headers, body: { statusCode: status, body: { ...body.body, requestId } } };
}

/** @throws the documented error, in the form of its surface; HttpError if the document has no such response */
async function respondAsDocumented(
  prism: Prism,
  call: Call,
  surface: SurfaceName,
  preferences: Preferences = {},
): Promise<PrismResponse> {
  const { operationId, request } = call;
  const { code = 200, example, dynamic } = preferences;
  // Responses that errors share, such as `default`, have the example of one of them. Drafts also document their own codes.
  const isError = code >= 400 && example === undefined && dynamic !== true;
  const [shared] = isError ? errorCodesOf(surface, code) : [];
  if (shared !== undefined && !isDocumented(call, code)) throw toSurfaceError(surface, shared);
  // Browsers do not know that errors of uploads are XML.
  const accept = surface === 'upload' ? undefined : request.headers.accept;
  const found = await prism.respond(operationId, accept, preferences);
  const error = found.status < 400 ? undefined : findError(found.body);
  if (error === undefined) return found;
  const isShared = errorCodesOf(surface).includes(error.code);
  if (shared !== undefined && isShared) throw toSurfaceError(surface, shared);
  const { status } = found;
  throw toSurfaceError(surface, error.code, { status, message: String(error.message) });
}

/** Returns the fields of an error of the contract: JSON, on storage inside an envelope, or the content of an XML document. */
function findError(body: unknown): { code: string; message: unknown } | undefined {
  if (!isObject(body)) return undefined;
  const { body: content, Code, Message, code = Code, message = Message } = body;
  return typeof code === 'string' ? { code, message } : findError(content);
}
