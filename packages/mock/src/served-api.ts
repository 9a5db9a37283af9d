/**
 * What a mock serves: a standalone document, or the contract, which a draft may extend. Who responds to a call:
 *
 * 1. an operation of a standalone document, or one that a draft adds to the contract: Prism (`document.ts`,
 *    `surfaces/additions.ts`)
 * 2. an operation that the mock implements: the hosted service (`surfaces/gateway.ts`) or the storage engine
 *    (`surfaces/storage.ts`). If the caller sends `Prefer`, or the service is `hello`: Prism
 * 3. any other call: the router of its surface, with an error
 */
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
import { loadDocument, type ServedRouter, serveDocument } from './document.ts';
import type { Operations } from './faults/fault-rules.ts';
import { openLive } from './live.ts';
import type { ResolvedOptions } from './options.ts';
import { createPrism } from './prism/prism.ts';
import type { Services } from './services/create-services.ts';
import { listAdditions, serveAdditions } from './surfaces/additions.ts';
import { type Auth, createPresentAuth } from './surfaces/auth.ts';
import {
  BUILT_IN,
  type ContractDocument,
  createContract,
  findSurface,
} from './surfaces/contract.ts';
import { createMockGateway } from './surfaces/gateway.ts';
import { allow, toDocumentOptions } from './surfaces/responses.ts';
import { createMockLinks, createMockStorage, createMockUpload } from './surfaces/storage.ts';
import {
  type CallSubject,
  DOCUMENT_UPLOAD_PATH,
  IMPLEMENTED,
  type SurfaceName,
} from './surfaces/surface.ts';
import { FieldError } from './user-input.ts';

type RequestLine = Parameters<Router['find']>[0];

/** What a call is for, and what handles it. */
export interface MatchedCall extends CallSubject {
  readonly listener: Listener;
}

export interface ServedApi {
  match(request: RequestLine): MatchedCall;
  readonly operations: Operations;
  /** Accepts WebSockets, and calls hosted services. */
  readonly gateway?: GatewayRouter;
  /** The operations of a standalone document. */
  readonly routes?: RouteTable['routes'];
}

/** A document with a path of the contract is a draft, which extends the contract. Any other is standalone. */
export async function openApi(options: ResolvedOptions, services: Services) {
  const auth = await createAuth(options);
  const { document } = options;
  return openLive(async (watch) => {
    if (document === undefined) return createContractApi(options, auth, services);
    const loaded = await loadDocument(document, watch);
    const surface = findSurface(loaded.document);
    if (surface === undefined) return createDocumentApi(loaded, options);
    return createContractApi(options, auth, services, [{ ...loaded, surface }]);
  }, options);
}

async function createAuth({ credentials, env, wireProfile }: ResolvedOptions): Promise<Auth> {
  if (credentials === 'present') return createPresentAuth(wireProfile);
  // Verification is loaded only if needed.
  const { createStrictAuth } = await import('./surfaces/strict-auth.ts');
  return createStrictAuth(env);
}

/** @throws FieldError if an option has no effect */
function createDocumentApi(loaded: DocumentRoutes, options: ResolvedOptions): ServedApi {
  const { document, services, credentials } = options;
  const rest = `has no effect together with ${document}, a standalone document, which is served without credentials: remove one of them.`;
  if (services !== undefined) throw new FieldError('services', rest);
  if (credentials !== 'present') throw new FieldError('credentials', rest);
  // Faults and the log treat its calls as gateway calls.
  const surface = 'gateway';
  const { router, routes } = serveDocument(loaded, options, toDocumentOptions(options, surface));
  const served = [{ surface, router, routes }] as const;
  return {
    match(request) {
      const found = findOperation(served, request);
      if (found !== undefined) return found;
      if (request.method !== 'OPTIONS') return { surface, listener: router };
      return { surface, listener: allow(listMethods(served, request), options) };
    },
    operations: toOperations(served),
    routes,
  };
}

function createContractApi(
  options: ResolvedOptions,
  auth: Auth,
  services: Services,
  drafts: readonly ContractDocument[] = [],
): ServedApi {
  const documents = [...drafts, ...BUILT_IN].map((loaded) => ({
    ...loaded,
    prism: createPrism(loaded.document, options),
  }));
  const prisms = documents.map(({ prism }) => prism);
  const contract = createContract(options, auth, prisms);
  const listeners = {
    gateway: createMockGateway(contract, services),
    storage: createMockStorage(contract),
    upload: createMockUpload(contract),
    link: createMockLinks(contract),
  };
  const { gateway, storage, upload } = listeners;
  const extended = documents.filter(({ routes }) => listAdditions(routes).length > 0);
  const added = extended.map((document) => serveAdditions(document, options, auth));
  // Additions take precedence over implemented operations.
  const served: readonly ServedRouter[] = [
    ...added,
    { surface: 'gateway', router: gateway, routes: gatewayRoutes.routes },
    // Its document also has the operation of the upload target.
    { surface: 'upload', router: upload, routes: UPLOAD_ROUTES },
    { surface: 'storage', router: storage, routes: STORAGE_ROUTES },
  ];
  return {
    match(request) {
      const found = findOperation(served, request);
      if (found !== undefined) return found;
      // The routers of the contract do not know the methods that a document adds to a path.
      const addition = added.find((each) => listMethods([each], request).length > 0);
      if (addition === undefined) {
        const surface = surfaceOf(request);
        return { surface, listener: listeners[surface] };
      }
      const { surface } = addition;
      return { surface, listener: allow(listMethods(served, request), options) };
    },
    operations: toOperations(served),
    gateway,
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
  for (const { surface, router } of served) {
    const found = router.find(request);
    if (found === undefined) continue;
    const { operationId, path } = found;
    // Documents may use the name for other things.
    const name = IMPLEMENTED.has(operationId) ? path.name : undefined;
    return { surface, listener: router, operationId, service: name && (decodeText(name) ?? name) };
  }
  return undefined;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'];

function listMethods(served: readonly ServedRouter[], { url }: RequestLine) {
  return METHODS.filter((method) => findOperation(served, { method, url }) !== undefined);
}

/** Unknown paths under `/api` get a storage error; all others get a gateway error. */
function surfaceOf({ url = '/' }: RequestLine): SurfaceName {
  const { path } = splitTarget(url);
  if (path === DOCUMENT_UPLOAD_PATH) return 'upload';
  if (path.startsWith(`${FILES_PATH}/`)) return 'link';
  return path === '/api' || path.startsWith('/api/') ? 'storage' : 'gateway';
}
