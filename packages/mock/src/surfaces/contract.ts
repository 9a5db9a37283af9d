import type { GatewayLogin, StorageLogin } from '@berth/server-stubs';
import {
  applyDispositionRules,
  gatewayRoutes,
  readCredentials,
  storageRoutes,
  toContractError,
  toWireForm,
} from '@berth/server-stubs/contract';
import type { DocumentRoutes } from '@berth/server-stubs/document';
import type {
  Call,
  HandlerResponse,
  Listener,
  Router,
  RouteTable,
  SecurityHandlers,
} from '@berth/server-stubs/runtime';
import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import { type Live, toConstant } from '../files.ts';
import type { ResolvedOptions } from '../options.ts';
import { listOperations } from '../prism/operations.ts';
import { type Preferences, readPreferences } from '../prism/preferences.ts';
import { createPrism, type Prism, type PrismResponse } from '../prism/prism.ts';
import { type DocumentedSurface, toRefusal } from '../surface.ts';
import { isObject } from '../user-input.ts';
import { type Auth, authenticateGateway } from './auth.ts';
import {
  createPrismRouter,
  type ServedDocument,
  serveAlone,
  toRouter,
  whenFresh,
} from './document.ts';
import { toDocumentOptions } from './router-options.ts';

/** The documents of the contract, with their routes. */
export const DOCUMENTS = {
  gateway: { document: gateway, routes: gatewayRoutes },
  storage: { document: storage, routes: storageRoutes },
} as const;

const SURFACES = ['gateway', 'storage'] as const;

/** What services and the storage engine implement. */
const IMPLEMENTED: ReadonlySet<string> = new Set([
  'cloudrun-get-root',
  'cloudrun-post-root',
  'cloudrun-get',
  'cloudrun-post',
  'getUploadMetaData',
  'batchGetTempUrls',
  'batchDelete',
  'batchCopyFile',
  'uploadFile',
]);

/** Serves a draft as an extension of the contract, and any other document alone. */
export function serveDocument(
  loaded: DocumentRoutes,
  options: ResolvedOptions,
  auth: Auth,
): ServedDocument {
  const surface = findSurface(loaded.document);
  return surface === undefined
    ? serveAlone(loaded, options, toDocumentOptions(options, 'gateway'))
    : serveAdditions(surface, loaded, options, auth);
}

/**
 * Returns the surface that a document is a draft of: it has an operation of the contract, at the same path. Returns
 * undefined for any other document.
 */
function findSurface(document: Record<string, unknown>): DocumentedSurface | undefined {
  const operations = listOperations(document);
  return SURFACES.find((surface) =>
    [...listOperations(DOCUMENTS[surface].document)].some(([id, { path, method }]) => {
      const place = operations.get(id);
      return place?.path === path && place.method === method;
    }),
  );
}

type ContractSurface = DocumentedSurface | 'upload';

/** The documents of the contract: the built-in ones, or a draft in place of one of them. */
export interface Contract {
  /**
   * Returns the documented response to a valid call.
   *
   * @throws the documented error, in the form of its surface; HttpError if the contract has no such response
   */
  respond(surface: ContractSurface, call: Call, preferences?: Preferences): Promise<PrismResponse>;
  /** Returns the surface of an operation that nothing implements; undefined for any other call. */
  surfaceOf(request: FoundBy): DocumentedSurface | undefined;
  /** Adds the operations to a router that nothing implements. Prism answers them. */
  extend<Surface extends Router>(router: Surface): Surface;
}

/** @param draft replaces the built-in document of its surface */
export function createContract(
  draft: Live<ServedDocument> | undefined,
  options: ResolvedOptions,
  auth: Auth,
): Contract {
  const open = (surface: DocumentedSurface) =>
    draft?.current.surface === surface
      ? draft
      : toConstant(serveAdditions(surface, DOCUMENTS[surface], options, auth));
  const documents = { gateway: open('gateway'), storage: open('storage') };
  const extensions = Object.values(documents).filter(
    (document) => document === draft || document.current.routes.length > 0,
  );
  return {
    respond(surface, call, preferences) {
      const { current } = documents[surface === 'upload' ? 'storage' : surface];
      return askPrism(current.prism, call, surface, preferences);
    },
    surfaceOf: (request) =>
      extensions.find((extension) => isAddition(extension, request))?.current.surface,
    extend: (router) => extensions.reduce(extend, router),
  };
}

const ERRORS: Readonly<Record<ContractSurface, readonly { code: string; status: number }[]>> = {
  gateway: defaults.gatewayErrors,
  storage: defaults.storageErrors,
  upload: defaults.uploadErrors,
};

async function askPrism(
  prism: Prism,
  { operationId, request }: Call,
  surface: ContractSurface,
  preferences: Preferences = {},
): Promise<PrismResponse> {
  const { code = 200, example, dynamic } = preferences;
  // Errors are documented as `default`. Prism would use its first example, whatever the status of its code is.
  const isError = code >= 400 && example === undefined && dynamic !== true;
  const row = isError ? ERRORS[surface].find(({ status }) => status === code) : undefined;
  if (row !== undefined) throw toRefusal(surface, row.code);
  // Browsers do not know that errors of uploads are XML.
  const accept = surface === 'upload' ? undefined : request.headers.accept;
  const found = await prism.respond(operationId, { accept, preferences });
  const error = found.status < 400 ? undefined : findError(found.body);
  if (error === undefined) return found;
  const { status } = found;
  throw toRefusal(surface, error.code, { status, message: String(error.message) });
}

/** Returns the fields of an error of the contract: JSON, on storage inside an envelope, or the content of an XML document. */
function findError(body: unknown): { code: string; message: unknown } | undefined {
  if (!isObject(body)) return undefined;
  const { body: content, Code, Message, code = Code, message = Message } = body;
  return typeof code === 'string' ? { code, message } : findError(content);
}

/** Adds the operations of a document to a router. If the router has the same, they come first. */
function extend<Surface extends Router>(router: Surface, document: Live<ServedDocument>): Surface {
  const additions = toRouter(document);
  const choose = (request: FoundBy) => {
    if (isAddition(document, request)) return additions;
    return router.find(request) && router;
  };
  const listener: Listener = (request, response) =>
    whenFresh(document, () => {
      const chosen = choose(request);
      if (chosen !== undefined) chosen(request, response);
      // A preflight, or a wrong method, gets the methods that the document allows.
      else additions(request, response, () => router(request, response));
    });
  const find: Router['find'] = (request) => choose(request)?.find(request);
  return Object.assign(listener, router, { find });
}

/** What a router finds an operation by. */
type FoundBy = Parameters<Router['find']>[0];

function isAddition({ current }: Live<ServedDocument>, request: FoundBy): boolean {
  const found = current.router.find(request);
  return found !== undefined && !IMPLEMENTED.has(found.operationId);
}

/** Serves the operations of a surface that nothing implements, with its credentials and errors. */
function serveAdditions(
  surface: DocumentedSurface,
  { document, routes: table }: Pick<DocumentRoutes, 'document' | 'routes'>,
  options: ResolvedOptions,
  auth: Auth,
): ServedDocument {
  const prism = createPrism(document, options);
  const paths = table.routes.flatMap(({ operationId, path }) =>
    IMPLEMENTED.has(operationId) ? [] : path,
  );
  // With the other operations of the same paths, whose methods are also allowed there.
  const routes = table.routes.filter(({ path }) => paths.includes(path));
  const secured = secure(surface, { ...table, routes }, options, auth);
  const router = createPrismRouter(secured.table, (call) => respondByPrism(prism, call, surface), {
    ...toDocumentOptions(options, surface, (error) => toContractError(surface, error)),
    security: secured.security,
    encodeBody: (body) => toWireForm(body, options.wireProfile),
  });
  return { prism, surface, routes, router };
}

/** Responds with the example of the document, in which the request ID (D9) and `statusCode` (D20) are those of the call. */
async function respondByPrism(
  prism: Prism,
  call: Call,
  surface: DocumentedSurface,
): Promise<HandlerResponse> {
  const { request, requestId } = call;
  const preferences = readPreferences(request.headers.prefer);
  const found = await askPrism(prism, call, surface, preferences);
  const { status, body, content } = found;
  const headers: Record<string, string> = { ...found.headers, 'x-request-id': requestId };
  if (surface === 'gateway') applyDispositionRules(request, headers);
  if (surface === 'gateway' || !isObject(body) || !isObject(body.body)) {
    return { status, headers, body: content };
  }
  return { status, headers, body: { statusCode: status, body: { ...body.body, requestId } } };
}

/** Returns the routes of a surface with one security scheme, which stands for the credentials of the contract. */
function secure(
  surface: DocumentedSurface,
  table: RouteTable,
  { env, wireProfile }: ResolvedOptions,
  auth: Auth,
): { readonly table: RouteTable; readonly security: SecurityHandlers } {
  const isGateway = surface === 'gateway';
  const name = isGateway ? 'authorization' : wireProfile.storageHeaders.authorization;
  const routes = table.routes.map((route) => {
    const security = route.security.length > 0 ? [['credentials']] : [];
    return { ...route, security };
  });
  const credentials = (_: string, call: Call) => {
    const login = Object.assign(call, { env, envId: env }) as GatewayLogin & StorageLogin;
    if (isGateway) return authenticateGateway(login, auth.gateway);
    return auth.storage.credentials(readCredentials(call.request.headers, wireProfile), login);
  };
  const securitySchemes = { credentials: { type: 'apiKey', in: 'header', name } } as const;
  return { table: { ...table, routes, securitySchemes }, security: { credentials } };
}
