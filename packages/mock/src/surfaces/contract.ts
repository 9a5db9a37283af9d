import type { GatewayLogin, StorageLogin } from '@berth/server-stubs';
import {
  readCredentials,
  SIGNATURE,
  toContractError,
  toWireForm,
} from '@berth/server-stubs/contract';
import type { DocumentRoutes } from '@berth/server-stubs/document';
import type { Call, Router, RouteTable, SecurityHandlers } from '@berth/server-stubs/runtime';
import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import { toProfileDocument } from '@berth/spec/profile-documents';
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import type { Live } from '../files.ts';
import type { ResolvedOptions } from '../options.ts';
import { listOperations, METHODS } from '../prism/operations.ts';
import { type Preferences, readPreferences } from '../prism/preferences.ts';
import type { Prism } from '../prism/prism.ts';
import type { DocumentedSurface } from '../surface.ts';
import type { Auth } from './auth.ts';
import {
  createLazyPrism,
  createLiveRouter,
  createPrismRouter,
  openDocument,
  type Serve,
  type ServedDocument,
  serveAlone,
} from './document.ts';
import { respondByPrism } from './documented.ts';
import { type RouterParts, toDocumentOptions } from './router-options.ts';

/** The documents of the contract. */
export const documents = { gateway, storage };

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

/** What of the mock the contract depends on. */
export interface ContractParts extends RouterParts {
  /** What Prism is asked for if the caller has no preference. */
  readonly standard: Preferences;
  readonly auth: Auth;
  readonly options: Pick<ResolvedOptions, 'origins' | 'env'>;
}

/** Serves a draft as an extension of the contract, and any other document alone. A changed document stays which it was. */
export function serveDocument(parts: ContractParts): Serve {
  let serve: Serve | undefined;
  return (loaded) => {
    const surface = findDraftSurface(loaded);
    serve ??=
      surface === undefined
        ? serveAlone(parts.standard, (toError) => toDocumentOptions(parts, 'gateway', toError))
        : serveAdditions(surface, parts);
    return serve(loaded);
  };
}

/**
 * Returns the surface that a document is a draft of: it has an operation of the contract, at the same path. Returns
 * undefined for any other document.
 */
function findDraftSurface({ document }: DocumentRoutes): DocumentedSurface | undefined {
  const operations = listOperations(document);
  return SURFACES.find((surface) =>
    [...listOperations(documents[surface])].some(([id, { path, method }]) => {
      const place = operations.get(id);
      return place?.path === path && place.method === method;
    }),
  );
}

/** The documents that a mock serves: those of the contract, or a draft in place of one of them. */
export interface Contract {
  /** Returns Prism for a document. It is imported with the first call that needs it. */
  readonly prism: (surface: DocumentedSurface) => Promise<Prism>;
  /** Adds the operations that only a document has to a router. Prism answers them. */
  extend<Surface extends Router>(router: Surface): Surface;
}

/**
 * @param draft replaces the built-in document of its surface
 */
export async function createContract(
  parts: ContractParts,
  draft: Live<ServedDocument> | undefined,
): Promise<Contract> {
  const extensions = draft === undefined ? [] : [draft];
  for (const surface of SURFACES) {
    const ids = [...listOperations(documents[surface]).keys()];
    if (surface === draft?.current.surface || ids.every((id) => IMPLEMENTED.has(id))) continue;
    extensions.push(await openDocument(documents[surface], serveAdditions(surface, parts)));
  }
  const builtIn = {
    gateway: toPrism(documents.gateway, parts),
    storage: toPrism(documents.storage, parts),
  };
  return {
    prism(surface) {
      const extension = extensions.find(({ current }) => current.surface === surface);
      return (extension?.current.prism ?? builtIn[surface])();
    },
    extend: (router) => (extensions.length === 0 ? router : extend(router, extensions)),
  };
}

function toPrism(document: Record<string, unknown>, { profile, standard }: ContractParts) {
  return createLazyPrism(() => toProfileDocument(document, profile), standard);
}

/** Adds the operations of documents to a router. If it has the same, they come first. */
function extend<Surface extends Router>(
  router: Surface,
  extensions: readonly Live<ServedDocument>[],
): Surface {
  const extended = createLiveRouter(extensions, (request) => {
    const additions = extensions.map(({ current }) => current.router);
    const addition = additions.find((each) => {
      const found = each.find(request);
      return found !== undefined && !IMPLEMENTED.has(found.operationId);
    });
    if (addition !== undefined) return addition;
    if (router.find(request) !== undefined) return router;
    // A preflight, or a wrong method, gets the methods that the document allows.
    const { url } = request;
    const hasPath = (each: Router) =>
      METHODS.some((method) => each.find({ method: method.toUpperCase(), url }));
    return additions.find(hasPath) ?? router;
  });
  // The rest of the router, which is for WebSockets, stays as it is.
  const { find } = extended;
  return Object.assign(extended, router, { find });
}

/** Serves the operations of a surface that nothing implements, with its credentials and errors. */
function serveAdditions(surface: DocumentedSurface, parts: ContractParts): Serve {
  const { profile } = parts;
  return (loaded) => {
    const prism = toPrism(loaded.document, parts);
    const all = loaded.routes.routes;
    const paths = all.flatMap(({ operationId, path }) =>
      IMPLEMENTED.has(operationId) ? [] : path,
    );
    // With the other operations of the same paths, whose methods are also allowed there.
    const routes = all.filter(({ path }) => paths.includes(path));
    const { table, security } = secure(surface, { ...loaded.routes, routes }, parts);
    const respond = (call: Call) => {
      const preferences = readPreferences(call.request.headers.prefer);
      return respondByPrism(prism, call, surface, profile, preferences);
    };
    const router = createPrismRouter(table, respond, {
      ...toDocumentOptions(parts, surface, (error) => toContractError(surface, error)),
      security,
      encodeBody: (body) => toWireForm(body, profile),
    });
    return { router, prism, surface, operations: [] };
  };
}

/** Returns the routes of a surface with security handlers that check its credentials. */
function secure(
  surface: DocumentedSurface,
  table: RouteTable,
  { auth, profile, options: { env } }: ContractParts,
): { readonly table: RouteTable; readonly security: SecurityHandlers } {
  if (surface === 'gateway') {
    const toLogin = (call: Call) => Object.assign(call, { env }) as GatewayLogin;
    // A scheme that the contract does not have accepts any credentials.
    const others = Object.keys(table.securitySchemes).map((name) => [name, () => ({ id: 'mock' })]);
    const security: SecurityHandlers = {
      ...Object.fromEntries(others),
      bearerToken: (token, call) => auth.gateway.bearerToken(token, toLogin(call)),
      signature: (value, call) =>
        value.startsWith(`${SIGNATURE.algorithm} `) && auth.gateway.signature(value, toLogin(call)),
    };
    return { table, security };
  }
  // The three headers of a storage call belong together.
  const name = profile.storageHeaders.authorization;
  const routes = table.routes.map((route) => {
    const security = route.security.length > 0 ? [['credentials']] : [];
    return { ...route, security };
  });
  return {
    table: {
      ...table,
      routes,
      securitySchemes: { credentials: { type: 'apiKey', in: 'header', name } },
    },
    security: {
      credentials: (_, call) =>
        auth.storage.credentials(
          readCredentials(call.request.headers, profile),
          Object.assign(call, { envId: env }) as StorageLogin,
        ),
    },
  };
}
