/**
 * The contract that a mock serves, with the operations that nothing implements: those that a draft adds, or a change of
 * the built-in documents. The mock implements the operations in `IMPLEMENTED`, and Prism responds to all others. A draft
 * is a copy of a built-in document with a new path, such as `/v1/items`. The routers of all surfaces then also have it:
 * `GET /v1/items` needs the gateway's credentials, and gets the example of the draft or an error of the gateway.
 */
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
} from '@berth/server-stubs/runtime';
import { type Live, toConstant } from '../live.ts';
import type { ResolvedOptions } from '../options.ts';
import { createPrism, type Preferences, type Prism, readPreferences } from '../prism/prism.ts';
import { DOCUMENT_UPLOAD_PATH, type DocumentedSurface, STORAGE_OPERATIONS } from '../surface.ts';
import { isObject } from '../user-input.ts';
import { type Auth, authenticateGateway } from './auth.ts';
import { type ContractSurface, DOCUMENTS, respondAsDocumented } from './contract.ts';
import { createPrismRouter, type ServedDocument, serveStandalone } from './document.ts';
import { toDocumentOptions } from './responses.ts';

type RequestLine = Parameters<Router['find']>[0];

/** @param draft replaces the built-in document of its surface */
export function createContract(
  draft: Live<ServedDocument> | undefined,
  options: ResolvedOptions,
  auth: Auth,
) {
  const open = (surface: DocumentedSurface) =>
    draft?.current.surface === surface
      ? draft
      : toConstant(serveAdditions(surface, DOCUMENTS[surface], options, auth));
  const documents = { gateway: open('gateway'), storage: open('storage') };
  const extensions = Object.values(documents).filter(
    (document) => document === draft || document.current.routes.length > 0,
  );
  const findAddition = (request: RequestLine) =>
    extensions.find(({ current }) => {
      const found = current.router.find(request);
      return found !== undefined && !IMPLEMENTED.has(found.operationId);
    })?.current;
  return {
    /** Responds to an operation that the mock implements with what is documented. */
    respond(surface: ContractSurface, call: Call, preferences?: Preferences) {
      const { current } = documents[surface === 'upload' ? 'storage' : surface];
      return respondAsDocumented(current.prism, call, surface, preferences);
    },
    /** Returns the surface of an operation that nothing implements; undefined for any other call. */
    surfaceOf: (request: RequestLine) => findAddition(request)?.surface,
    /** Adds the operations that nothing implements. Every router gets all of them: a draft may add any path. */
    extend<Extended extends Router>(router: Extended): Extended {
      if (extensions.length === 0) return router;
      const find: Router['find'] = (request) =>
        (findAddition(request)?.router ?? router).find(request);
      const listener: Listener = (request, response) => {
        const isAddition = findAddition(request) !== undefined;
        if (!isAddition && router.find(request)) return router(request, response);
        // A preflight, or a wrong method, gets the methods that a document allows.
        const pass = (index: number): void => {
          const extension = extensions[index]?.current.router;
          if (extension === undefined) router(request, response);
          else extension(request, response, () => pass(index + 1));
        };
        pass(0);
      };
      return Object.assign(listener, router, { find });
    },
  };
}

const IMPLEMENTED: ReadonlySet<string> = new Set([
  ...STORAGE_OPERATIONS,
  'cloudrun-get-root',
  'cloudrun-post-root',
  'cloudrun-get',
  'cloudrun-post',
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
    ? serveStandalone(loaded, options, toDocumentOptions(options, 'gateway'))
    : serveAdditions(surface, loaded, options, auth);
}

/** A draft has a path of the contract. Any document may have the path of the upload target. */
function findSurface({ paths }: DocumentRoutes['document']): DocumentedSurface | undefined {
  return (['gateway', 'storage'] as const).find((surface) =>
    Object.keys(DOCUMENTS[surface].document.paths).some(
      (path) => path !== DOCUMENT_UPLOAD_PATH && Object.hasOwn(Object(paths), path),
    ),
  );
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
  const { env, wireProfile } = options;
  const header = surface === 'gateway' ? 'authorization' : wireProfile.storageHeaders.authorization;
  const authenticate = (_: unknown, call: Call) => {
    const login = Object.assign(call, { env, envId: env });
    if (surface === 'gateway') return authenticateGateway(login, auth.gateway);
    return auth.storage.credentials(readCredentials(call.request.headers, wireProfile), login);
  };
  const secured: RouteTable = {
    ...table,
    routes: routes.map((route) => ({
      ...route,
      security: route.security.length > 0 ? [['credentials']] : [],
    })),
    securitySchemes: { credentials: { type: 'apiKey', in: 'header', name: header } },
  };
  const router = createPrismRouter(secured, (call) => respondToAddition(prism, call, surface), {
    ...toDocumentOptions(options, surface, (error) => toContractError(surface, error)),
    security: { credentials: authenticate },
    encodeBody: (body) => toWireForm(body, wireProfile),
  });
  return { prism, surface, routes, router };
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
