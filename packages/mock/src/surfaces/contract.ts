/** The documents of the contract, and their operations that nothing implements: those of a draft, or of a changed contract. */
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
} from '@berth/server-stubs/runtime';
import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import { type Live, toConstant } from '../live.ts';
import type { ResolvedOptions } from '../options.ts';
import {
  createPrism,
  type Preferences,
  type Prism,
  type PrismResponse,
  readPreferences,
} from '../prism/prism.ts';
import {
  DOCUMENT_UPLOAD_PATH,
  type DocumentedSurface,
  STORAGE_OPERATIONS,
  toSurfaceError,
} from '../surface.ts';
import { isObject } from '../user-input.ts';
import { type Auth, authenticateGateway } from './auth.ts';
import { createPrismRouter, type ServedDocument, serveStandalone } from './document.ts';
import { toDocumentOptions } from './responses.ts';

export const DOCUMENTS = {
  gateway: { document: gateway, routes: gatewayRoutes },
  storage: { document: storage, routes: storageRoutes },
} as const;

const ERRORS = {
  gateway: defaults.gatewayErrors,
  storage: defaults.storageErrors,
  upload: defaults.uploadErrors,
} satisfies Record<string, readonly { code: string; status: number }[]>;

type ContractSurface = keyof typeof ERRORS;

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
    /**
     * Returns the documented response to a valid call.
     *
     * @throws the documented error, in the form of its surface; HttpError if the contract has no such response
     */
    respond(surface: ContractSurface, call: Call, preferences?: Preferences) {
      const { current } = documents[surface === 'upload' ? 'storage' : surface];
      return askPrism(current.prism, call, surface, preferences);
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
        const [first, second] = extensions.map(({ current }) => current.router);
        const next = () => router(request, response);
        first?.(request, response, second ? () => second(request, response, next) : next);
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
  const { wireProfile } = options;
  const router = createPrismRouter(
    withCredentials({ ...table, routes }, surface, wireProfile.storageHeaders.authorization),
    (call) => respond(prism, call, surface),
    {
      ...toDocumentOptions(options, surface, (error) => toContractError(surface, error)),
      security: { [CREDENTIALS]: (_, call) => authenticate(call, surface, options, auth) },
      encodeBody: (body) => toWireForm(body, wireProfile),
    },
  );
  return { prism, surface, routes, router };
}

const CREDENTIALS = 'credentials';

function withCredentials(
  table: RouteTable,
  surface: DocumentedSurface,
  storageHeader: string,
): RouteTable {
  const name = surface === 'gateway' ? 'authorization' : storageHeader;
  const routes = table.routes.map((route) => {
    const security = route.security.length > 0 ? [[CREDENTIALS]] : [];
    return { ...route, security };
  });
  return {
    ...table,
    routes,
    securitySchemes: { credentials: { type: 'apiKey', in: 'header', name } },
  };
}

function authenticate(
  call: Call,
  surface: DocumentedSurface,
  { env, wireProfile }: ResolvedOptions,
  auth: Auth,
): unknown {
  const login = Object.assign(call, { env, envId: env });
  if (surface === 'gateway') return authenticateGateway(login, auth.gateway);
  return auth.storage.credentials(readCredentials(call.request.headers, wireProfile), login);
}

/** Responds with the example of the document, in which the request ID (D9) and `statusCode` (D20) are those of the call. */
async function respond(
  prism: Prism,
  call: Call,
  surface: DocumentedSurface,
): Promise<HandlerResponse> {
  const { request, requestId } = call;
  const found = await askPrism(prism, call, surface, readPreferences(request.headers.prefer));
  const { status, body, content } = found;
  const headers: Record<string, string> = { ...found.headers, 'x-request-id': requestId };
  if (surface === 'gateway') applyDispositionRules(request, headers);
  if (surface === 'gateway' || !isObject(body) || !isObject(body.body)) {
    return { status, headers, body: content };
  }
  return { status, headers, body: { statusCode: status, body: { ...body.body, requestId } } };
}

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
  if (row !== undefined) throw toSurfaceError(surface, row.code);
  // Browsers do not know that errors of uploads are XML.
  const accept = surface === 'upload' ? undefined : request.headers.accept;
  const found = await prism.respond(operationId, accept, preferences);
  const error = found.status < 400 ? undefined : findError(found.body);
  if (error === undefined) return found;
  const { status } = found;
  throw toSurfaceError(surface, error.code, { status, message: String(error.message) });
}

/** Returns the fields of an error of the contract: JSON, on storage inside an envelope, or the content of an XML document. */
function findError(body: unknown): { code: string; message: unknown } | undefined {
  if (!isObject(body)) return undefined;
  const { body: content, Code, Message, code = Code, message = Message } = body;
  return typeof code === 'string' ? { code, message } : findError(content);
}
