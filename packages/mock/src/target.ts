/** What a mock serves: the contract, which a draft may extend, or a standalone document. */
import type { GatewayRouter } from '@berth/server-stubs';
import { splitTarget } from '@berth/server-stubs/contract';
import type { DocumentRoutes } from '@berth/server-stubs/document';
import type { Listener, Router } from '@berth/server-stubs/runtime';
import { FILES_PATH } from '@berth/storage';
import { openDocument, type ServedDocument, serveDocument } from './document.ts';
import type { Live, OnProblem } from './live.ts';
import type { ResolvedOptions } from './options.ts';
import { createServices, type Services } from './services/create-services.ts';
import { DOCUMENT_UPLOAD_PATH, type SurfaceName } from './surface.ts';
import { serveAdditions } from './surfaces/additions.ts';
import type { Auth } from './surfaces/auth.ts';
import { createContract, findSurface } from './surfaces/contract.ts';
import { createMockGateway } from './surfaces/gateway.ts';
import { toDocumentOptions } from './surfaces/responses.ts';
import { createMockLinks, createMockStorage, createMockUpload } from './surfaces/storage.ts';
import { FieldError } from './user-input.ts';

type RequestLine = Parameters<Router['find']>[0];

export interface Target {
  /** Reloads changed files, then runs the task; synchronously if nothing changed. */
  use<Result>(task: () => Result | Promise<Result>): Result | Promise<Result>;
  /** Returns the router that handles a call, and the surface whose errors the call gets. */
  find(request: RequestLine): {
    readonly surface: SurfaceName;
    readonly router: Listener & Pick<Router, 'find'>;
  };
  /** Returns the methods of a path for a preflight or a wrong method; undefined if the router sends its own response. */
  findMethods(request: RequestLine): readonly string[] | undefined;
  /** Accepts WebSockets, and calls hosted services. */
  readonly gateway?: GatewayRouter;
  /** The standalone document. */
  readonly document?: Live<ServedDocument>;
  close(): void;
}

/** A document with a path of the contract is a draft of it. Any other is standalone. A reload never changes which it is. */
export async function openTarget(options: ResolvedOptions, auth: Auth, onProblem: OnProblem) {
  let kind: ServedDocument['kind'] | undefined;
  const serve = (loaded: DocumentRoutes) => {
    const surface = findSurface(loaded.document);
    const served =
      surface === undefined
        ? serveDocument(loaded, options, toDocumentOptions(options, 'gateway'))
        : serveAdditions(surface, loaded, options, auth);
    kind ??= served.kind;
    if (kind === served.kind) return served;
    const change = surface === undefined ? 'no longer has' : 'now has';
    throw new FieldError(
      `${options.document}`,
      `${change} a path of the contract: restart the mock.`,
    );
  };
  const document = options.document
    ? await openDocument(options.document, serve, onProblem)
    : undefined;
  if (document?.current.kind === 'standalone') {
    assertStandalone(options);
    return createDocumentTarget(document);
  }
  const services = await createServices(options, onProblem);
  return createContractTarget(options, auth, services, document);
}

function assertStandalone({ document, services, credentials }: ResolvedOptions): void {
  const rest = `has no effect together with ${document}, a standalone document, which is served without credentials: remove one of them.`;
  if (services !== undefined) throw new FieldError('services', rest);
  if (credentials !== 'present') throw new FieldError('credentials', rest);
}

function createDocumentTarget(document: Live<ServedDocument>): Target {
  return {
    document,
    close() {},
    use: (task) => document.use(task),
    find: () => document.current,
    findMethods(request) {
      const { find } = document.current.router;
      const isPreflight = request.method === 'OPTIONS' && find(request) === undefined;
      return isPreflight ? listMethods(request, find) : undefined;
    },
  };
}

function createContractTarget(
  options: ResolvedOptions,
  auth: Auth,
  services: Services,
  draft: Live<ServedDocument> | undefined,
): Target {
  const contract = createContract(options, auth, draft);
  const parts = { options, auth, services, contract };
  const gateway = createMockGateway(parts);
  const surfaces = {
    gateway: { surface: 'gateway', router: gateway },
    storage: { surface: 'storage', router: createMockStorage(parts) },
    upload: { surface: 'upload', router: createMockUpload(parts) },
    link: { surface: 'link', router: createMockLinks(parts) },
  } as const;
  const find: Target['find'] = (request) =>
    contract.findAddition(request) ?? surfaces[surfaceOf(request)];
  return {
    gateway,
    close: services.close,
    use: (task) => (draft === undefined ? task() : draft.use(task)),
    find,
    findMethods(request) {
      const isKnown = (line: RequestLine) => find(line).router.find(line);
      if (!contract.hasAdditions || isKnown(request)) return undefined;
      const methods = listMethods(request, isKnown);
      return methods.length > 0 ? methods : undefined;
    },
  };
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'];

function listMethods({ url }: RequestLine, find: (line: RequestLine) => unknown) {
  return METHODS.filter((method) => find({ method, url }) !== undefined);
}

/** A typo after `/api` gets an error of the storage API. Everything else belongs to the gateway. */
function surfaceOf({ url = '/' }: RequestLine): SurfaceName {
  const { path } = splitTarget(url);
  if (path === DOCUMENT_UPLOAD_PATH) return 'upload';
  if (path.startsWith(`${FILES_PATH}/`)) return 'link';
  return path === '/api' || path.startsWith('/api/') ? 'storage' : 'gateway';
}
