/**
 * What a mock serves: the contract, which a draft may extend, or a standalone document. Finds the router of a call;
 * `surfaces/respond.ts` says who responds.
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
import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import { FILES_PATH } from '@berth/storage';
import { loadDocument, serveDocument } from './document.ts';
import { openLive } from './live.ts';
import { DEFAULTS, type ResolvedOptions } from './options.ts';
import { createPrism } from './prism/prism.ts';
import type { Services } from './services/create-services.ts';
import {
  type CallTarget,
  DOCUMENT_UPLOAD_PATH,
  IMPLEMENTED,
  type Operations,
  type SurfaceName,
} from './surface.ts';
import { type SurfaceDescription, serveAdditions } from './surfaces/additions.ts';
import { type Auth, createPresentAuth } from './surfaces/auth.ts';
import { createMockGateway } from './surfaces/gateway.ts';
import { handleOtherMethods, METHODS, toTableOptions } from './surfaces/responses.ts';
import { createMockLinks, createMockStorage, createMockUpload } from './surfaces/storage.ts';
import { FieldError } from './user-input.ts';

type RequestLine = Parameters<Router['find']>[0];

type ServedRouter = Readonly<{ surface: SurfaceName; router: Router }>;

/** What a call is for, and what handles it. */
export interface MatchedCall extends CallTarget {
  readonly listener: Listener;
}

export interface ServedApi {
  match(request: RequestLine): MatchedCall;
  readonly operations: Operations;
  /** Those of the mock. A standalone document also allows cookies. */
  readonly options: ResolvedOptions;
  /** Names the documents in the banner. */
  readonly title: string;
  /** Accepts WebSockets, and calls hosted services. */
  readonly gateway?: GatewayRouter;
  /** The operations of a standalone document. */
  readonly routes?: RouteTable['routes'];
}

const BUILT_IN = [
  { surface: 'gateway', document: gateway, routes: gatewayRoutes },
  { surface: 'storage', document: storage, routes: storageRoutes },
] satisfies readonly SurfaceDescription[];

/** A document with a path of the contract is a draft, which extends the contract. Any other is standalone. */
export async function openServedApi(options: ResolvedOptions, services: Services) {
  const auth = await createAuth(options);
  const { document: file } = options;
  return openLive(async (watch) => {
    if (file === undefined) return createContractApi(options, auth, services, BUILT_IN);
    const loaded = await loadDocument(file, watch, options);
    const surface = findExtendedSurface(loaded);
    if (surface === undefined) return createStandaloneApi(loaded, options);
    return createContractApi(options, auth, services, [{ ...loaded, surface, file }, ...BUILT_IN]);
  }, options);
}

async function createAuth({ credentials, env, wireProfile }: ResolvedOptions): Promise<Auth> {
  if (credentials === 'present') return createPresentAuth(wireProfile);
  // Verification is loaded only if needed.
  const { createStrictAuth } = await import('./surfaces/strict-auth.ts');
  return createStrictAuth(env);
}

/** Returns the surface that a draft extends. Any document may have the path of the upload target. */
function findExtendedSurface({ document: { paths } }: DocumentRoutes) {
  const extended = BUILT_IN.find(({ document }) =>
    Object.keys(document.paths).some(
      (path) => path !== DOCUMENT_UPLOAD_PATH && Object.hasOwn(Object(paths), path),
    ),
  );
  return extended?.surface;
}

/** @throws FieldError if an option has no effect */
function createStandaloneApi(loaded: DocumentRoutes, given: ResolvedOptions): ServedApi {
  assertEffective(given);
  const { origins = '*' } = given.cors;
  // Browsers do not accept `*` with cookies.
  const cors = { origins: origins === '*' ? () => true : origins, credentials: true };
  const options = { ...given, cors };
  // Faults and the log treat its calls as gateway calls.
  const surface = 'gateway';
  const { routes: table } = loaded;
  const router = serveDocument(loaded, options, toTableOptions(options, surface));
  return {
    match: (request) =>
      findOperation([{ surface, router }], request) ?? { surface, listener: router },
    options,
    operations: new Map(table.routes.map(({ operationId }) => [operationId, surface])),
    title: String(options.document),
    routes: table.routes,
  };
}

/** A standalone document has neither services nor environments nor credentials. */
function assertEffective(options: ResolvedOptions): void {
  const predicate = `has no effect together with ${options.document}, a standalone document: remove one of them.`;
  if (options.services !== undefined) throw new FieldError('services', predicate);
  for (const name of ['env', 'credentials'] as const) {
    if (options[name] !== DEFAULTS[name]) throw new FieldError(name, predicate);
  }
}

function toTitle(name: SurfaceName, descriptions: readonly SurfaceDescription[]): string {
  const { document, file } = descriptions.find(({ surface }) => surface === name) ?? {};
  const { title, version } = Object(document?.info);
  return `the ${title} ${version}${file === undefined ? '' : ` (${file})`}`;
}

/** @param descriptions a draft comes first: Prism falls back to the built-in document for what the draft omits */
function createContractApi(
  options: ResolvedOptions,
  auth: Auth,
  services: Services,
  descriptions: readonly SurfaceDescription[],
): ServedApi {
  const documents = descriptions.map(({ document }) => document);
  const prism = createPrism(documents, options);
  const gateway = createMockGateway(options, auth, prism, services);
  const storage = createMockStorage(options, auth, prism);
  const upload = createMockUpload(options, prism);
  const listeners = { gateway, storage, upload, link: createMockLinks(options) };
  const additions = descriptions.map((description) => ({
    surface: description.surface,
    router: serveAdditions(description, options, auth, prism),
  }));
  // Additions take precedence over implemented operations.
  const routers: readonly ServedRouter[] = [
    ...additions,
    { surface: 'gateway', router: gateway },
    { surface: 'upload', router: upload },
    { surface: 'storage', router: storage },
  ];
  return {
    match(request) {
      const match = findOperation(routers, request);
      if (match !== undefined) return match;
      const addition = additions.find((each) => listMethods([each], request).length > 0);
      if (addition === undefined) {
        const surface = surfaceOf(request);
        return { surface, listener: listeners[surface] };
      }
      // The routers of the contract do not know the methods that a draft adds to a path.
      const methods = listMethods(routers, request);
      return { surface: addition.surface, listener: handleOtherMethods(methods, options) };
    },
    options,
    operations: listOperations(descriptions),
    title: BUILT_IN.map(({ surface }) => toTitle(surface, descriptions)).join(' and '),
    gateway,
  };
}

/** The storage document also has the operation of the upload target. */
function listOperations(descriptions: readonly SurfaceDescription[]): Operations {
  const entries = descriptions.flatMap(({ surface, routes: table }) =>
    table.routes.map(({ operationId }) => [operationId, surface] as const),
  );
  return new Map<string, SurfaceName>(entries).set('uploadFile', 'upload');
}

/** The first router that has an operation for a request handles it. */
function findOperation(
  routers: readonly ServedRouter[],
  request: RequestLine,
): MatchedCall | undefined {
  for (const { surface, router } of routers) {
    const match = router.find(request);
    if (match === undefined) continue;
    const { operationId, path } = match;
    // Documents may use the name for other things.
    const name = IMPLEMENTED.has(operationId) ? path.name : undefined;
    return { surface, listener: router, operationId, service: name && (decodeText(name) ?? name) };
  }
  return undefined;
}

/** Lists the methods of a path, with OPTIONS; empty if the path is unknown. */
function listMethods(routers: readonly ServedRouter[], { url }: RequestLine): readonly string[] {
  const methods = METHODS.filter((method) => findOperation(routers, { method, url }));
  return methods.length > 0 ? [...methods, 'OPTIONS'] : [];
}

/** Unknown paths under `/api` get a storage error; all others get a gateway error. */
function surfaceOf({ url = '/' }: RequestLine): SurfaceName {
  const { path } = splitTarget(url);
  if (path === DOCUMENT_UPLOAD_PATH) return 'upload';
  if (path.startsWith(`${FILES_PATH}/`)) return 'link';
  return path === '/api' || path.startsWith('/api/') ? 'storage' : 'gateway';
}
