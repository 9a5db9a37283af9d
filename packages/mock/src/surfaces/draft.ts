/** The operations that nothing implements: those of a draft, or of a changed contract. */
import {
  applyDispositionRules,
  readCredentials,
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
import type { Live } from '../files.ts';
import type { ResolvedOptions } from '../options.ts';
import { listOperations } from '../prism/operations.ts';
import { readPreferences } from '../prism/preferences.ts';
import { createPrism, type Prism } from '../prism/prism.ts';
import { type DocumentedSurface, STORAGE_OPERATIONS } from '../surface.ts';
import { isObject } from '../user-input.ts';
import { type Auth, authenticateGateway } from './auth.ts';
import { askPrism, DOCUMENTS } from './contract-documents.ts';
import { createPrismRouter, type ServedDocument, toRouter, whenFresh } from './document.ts';
import { toDocumentOptions } from './router-options.ts';

const SURFACES = ['gateway', 'storage'] as const;

/**
 * Returns the surface that a document is a draft of: it has an operation of the contract, at the same path. Returns
 * undefined for any other document.
 */
export function findSurface(document: Record<string, unknown>): DocumentedSurface | undefined {
  const operations = listOperations(document);
  return SURFACES.find((surface) =>
    [...listOperations(DOCUMENTS[surface].document)].some(([id, { path, method }]) => {
      const place = operations.get(id);
      return place?.path === path && place.method === method;
    }),
  );
}

/** Adds the operations of a document to a router. If the router has the same, they come first. */
export function addRoutes<Extended extends Router>(
  router: Extended,
  document: Live<ServedDocument>,
): Extended {
  const additions = toRouter(document);
  const choose = (request: RequestLine) => {
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
export type RequestLine = Parameters<Router['find']>[0];

/** Returns whether a call is one that only the document can respond to. */
export function isAddition({ current }: Live<ServedDocument>, request: RequestLine): boolean {
  const found = current.router.find(request);
  return found !== undefined && !IMPLEMENTED.has(found.operationId);
}

/** What services and the storage engine implement. */
const IMPLEMENTED: ReadonlySet<string> = new Set([
  ...STORAGE_OPERATIONS,
  'cloudrun-get-root',
  'cloudrun-post-root',
  'cloudrun-get',
  'cloudrun-post',
  'uploadFile',
]);

/** Serves the operations of a surface that nothing implements, with its credentials and errors. */
export function serveAdditions(
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
  const router = createPrismRouter(secured.table, (call) => respond(prism, call, surface), {
    ...toDocumentOptions(options, surface, (error) => toContractError(surface, error)),
    security: secured.security,
    encodeBody: (body) => toWireForm(body, options.wireProfile),
  });
  return { prism, surface, routes, router };
}

/** Responds with the example of the document, in which the request ID (D9) and `statusCode` (D20) are those of the call. */
async function respond(
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
    const login = Object.assign(call, { env, envId: env });
    if (isGateway) return authenticateGateway(login, auth.gateway);
    return auth.storage.credentials(readCredentials(call.request.headers, wireProfile), login);
  };
  const securitySchemes = { credentials: { type: 'apiKey', in: 'header', name } } as const;
  return { table: { ...table, routes, securitySchemes }, security: { credentials } };
}
