/** What a mock serves: the contract, which a draft may extend, or a standalone document. */
import type { GatewayRouter } from '@berth/server-stubs';
import {
  decodeText,
  gatewayRoutes,
  splitTarget,
  storageRoutes,
} from '@berth/server-stubs/contract';
import type { DocumentRoutes } from '@berth/server-stubs/document';
import type { Listener, Router, RouteTable } from '@berth/server-stubs/runtime';
import { FILES_PATH } from '@berth/storage';
import { openDocument, type ServedDocument, type ServedRouter, serveDocument } from './document.ts';
import type { Operations } from './faults/fault-rules.ts';
import type { Live, OnProblem } from './live.ts';
import type { ResolvedOptions } from './options.ts';
import { createServices } from './services/create-services.ts';
import { type Auth, createPresentAuth } from './surfaces/auth.ts';
import { createContract, findSurface, serveAdditions } from './surfaces/contract.ts';
import { createMockGateway } from './surfaces/gateway.ts';
import { sendAllowed, toDocumentOptions } from './surfaces/responses.ts';
import { createMockLinks, createMockStorage, createMockUpload } from './surfaces/storage.ts';
import { type CallSubject, DOCUMENT_UPLOAD_PATH, type SurfaceName } from './surfaces/surface.ts';
import { FieldError } from './user-input.ts';

type RequestLine = Parameters<Router['find']>[0];

/** What a call is for, and what handles it. */
export interface MatchedCall extends CallSubject {
  readonly listener: Listener;
}

export interface ServedApi {
  /** Reloads a changed document. */
  refresh(): Promise<void> | undefined;
  match(request: RequestLine): MatchedCall;
  /** Returns the operations that are served now. */
  listOperations(): Operations;
  /** Accepts WebSockets, and calls hosted services. */
  readonly gateway?: GatewayRouter;
  /** The operations of a standalone document. */
  readonly routes?: RouteTable['routes'];
  close(): void;
}

export async function openApi(options: ResolvedOptions, onProblem: OnProblem): Promise<ServedApi> {
  const { document: path } = options;
  const auth = await createAuth(options);
  if (path === undefined) return createContractApi(options, auth, undefined, onProblem);
  const document = await openDocument(path, createDocumentServer(path, options, auth), onProblem);
  if (document.current.isDraft) return createContractApi(options, auth, document, onProblem);
  assertStandalone(options);
  return createDocumentApi(document, options);
}

async function createAuth({ credentials, env, wireProfile }: ResolvedOptions): Promise<Auth> {
  switch (credentials) {
    case 'present':
      return createPresentAuth(wireProfile);
    case 'strict': {
      // Verification is loaded only if needed.
      const { createStrictAuth } = await import('./surfaces/strict-auth.ts');
      return createStrictAuth(env, wireProfile);
    }
  }
}

/** A document with a path of the contract is a draft of it. Any other is standalone. A reload never changes which it is. */
function createDocumentServer(path: string, options: ResolvedOptions, auth: Auth) {
  let isDraft: boolean | undefined;
  return (loaded: DocumentRoutes): ServedDocument => {
    const surface = findSurface(loaded.document);
    const served =
      surface === undefined
        ? serveDocument(loaded, options, toDocumentOptions(options, 'gateway'))
        : serveAdditions(surface, loaded, options, auth);
    isDraft ??= served.isDraft;
    if (served.isDraft === isDraft) return served;
    const change = isDraft ? 'no longer has' : 'now has';
    throw new FieldError(path, `${change} a path of the contract: restart the mock.`);
  };
}

function assertStandalone({ document, services, credentials }: ResolvedOptions): void {
  const rest = `has no effect together with ${document}, a standalone document, which is served without credentials: remove one of them.`;
  if (services !== undefined) throw new FieldError('services', rest);
  if (credentials !== 'present') throw new FieldError('credentials', rest);
}

function createDocumentApi(document: Live<ServedDocument>, options: ResolvedOptions): ServedApi {
  const served = () => [document.current];
  return {
    refresh: document.refresh,
    match(request) {
      const { surface, router } = document.current;
      const isPreflight = request.method === 'OPTIONS';
      const listener = isPreflight ? allow(listMethods(served(), request), options) : router;
      return findOperation(served(), request) ?? { surface, listener };
    },
    listOperations: () => toOperations(served()),
    routes: document.current.routes,
    close() {},
  };
}

async function createContractApi(
  options: ResolvedOptions,
  auth: Auth,
  draft: Live<ServedDocument> | undefined,
  onProblem: OnProblem,
): Promise<ServedApi> {
  const contract = createContract(options, auth, draft);
  const services = await createServices(options, onProblem);
  const parts = { options, auth, contract };
  const listeners = {
    gateway: createMockGateway(parts, services),
    storage: createMockStorage(parts),
    upload: createMockUpload(parts),
    link: createMockLinks(parts),
  };
  const { gateway, storage, upload } = listeners;
  const implemented: readonly ServedRouter[] = [
    { surface: 'gateway', router: gateway, routes: gatewayRoutes.routes, hasServices: true },
    // Its document also has the operation of the upload target.
    { surface: 'upload', router: upload, routes: UPLOAD_ROUTES },
    { surface: 'storage', router: storage, routes: STORAGE_ROUTES },
  ];
  const added = () => contract.documents().filter(({ routes }) => routes.length > 0);
  // Operations that a document adds take precedence over implemented ones.
  const served = () => [...added(), ...implemented];
  return {
    refresh: () => draft?.refresh(),
    match(request) {
      const found = findOperation(served(), request);
      if (found !== undefined) return found;
      const surface = surfaceOf(request);
      // The routers of the contract do not know the methods that a document adds to a path.
      const isExtended = listMethods(added(), request).length > 0;
      if (!isExtended) return { surface, listener: listeners[surface] };
      return { surface, listener: allow(listMethods(served(), request), options) };
    },
    listOperations: () => toOperations(served()),
    gateway,
    close: services.close,
  };
}

const UPLOAD_ROUTES = storageRoutes.routes.filter(({ path }) => path === DOCUMENT_UPLOAD_PATH);
const STORAGE_ROUTES = storageRoutes.routes.filter((route) => !UPLOAD_ROUTES.includes(route));

function toOperations(served: readonly ServedRouter[]): Operations {
  return new Map(
    served.flatMap(({ surface, routes }) =>
      routes.map(({ operationId }) => [operationId, surface] as const),
    ),
  );
}

function findOperation(
  served: readonly ServedRouter[],
  request: RequestLine,
): MatchedCall | undefined {
  for (const { surface, router, hasServices } of served) {
    const found = router.find(request);
    if (found === undefined) continue;
    const { operationId, path } = found;
    const name = hasServices && path.name;
    return { surface, listener: router, operationId, service: name && (decodeText(name) ?? name) };
  }
  return undefined;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'];

function listMethods(served: readonly ServedRouter[], { url }: RequestLine) {
  return METHODS.filter((method) => findOperation(served, { method, url }) !== undefined);
}

function allow(methods: readonly string[], options: ResolvedOptions): Listener {
  return (_, response) => sendAllowed(methods, response, options);
}

/** Unknown paths under `/api` get a storage error; all others get a gateway error. */
function surfaceOf({ url = '/' }: RequestLine): SurfaceName {
  const { path } = splitTarget(url);
  if (path === DOCUMENT_UPLOAD_PATH) return 'upload';
  if (path.startsWith(`${FILES_PATH}/`)) return 'link';
  return path === '/api' || path.startsWith('/api/') ? 'storage' : 'gateway';
}
