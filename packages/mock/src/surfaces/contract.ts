import type { GatewayLogin, HttpError, StorageLogin } from '@berth/server-stubs';
import {
  readCredentials,
  SIGNATURE,
  toContractError,
  toWireForm,
} from '@berth/server-stubs/contract';
import type { DocumentRoutes } from '@berth/server-stubs/document';
import {
  type Call,
  createRouter,
  type Router,
  type RouteTable,
  type SecurityHandlers,
} from '@berth/server-stubs/runtime';
import { toProfileDocument } from '@berth/spec/profile-documents';
import type { WireProfile } from '@berth/spec/wire-profile';
import { type Contract, type DocumentedSurface, documents } from '../contract/contract.ts';
import type { FileEvents } from '../files.ts';
import type { ResolvedOptions } from '../options.ts';
import { listOperations } from '../prism/operations.ts';
import { type Preferences, readPreferences } from '../prism/preferences.ts';
import type { Prism } from '../prism/prism.ts';
import type { Auth } from './auth.ts';
import { respondByPrism } from './documented.ts';
import { createLiveRouter, type Live, openLive } from './live-document.ts';
import { toDocumentOptions } from './router-options.ts';

type Document = Record<string, unknown>;

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

/**
 * Returns the surface that a document is a draft of: it has an operation of the contract, at the same path. Returns
 * undefined for any other document.
 */
export function findDraftSurface({ document }: DocumentRoutes): DocumentedSurface | undefined {
  const operations = listOperations(document);
  return SURFACES.find((surface) =>
    [...listOperations(documents[surface])].some(([id, { path, method }]) => {
      const place = operations.get(id);
      return place?.path === path && place.method === method;
    }),
  );
}

/** A draft of a document: the path of its file, which is live, or the parsed document. */
export type Draft = string | object;

/** What of the mock the contract depends on. */
interface Parts {
  readonly options: Pick<ResolvedOptions, 'origins' | 'env'>;
  readonly profile: WireProfile;
  /** What Prism is asked for if the caller has no preference. */
  readonly standard: Preferences;
}

interface Version {
  readonly document: Document;
  /** The operations that only this document has. */
  readonly additions: Router | undefined;
}

/**
 * Creates the contract.
 *
 * @param drafts replace the built-in documents, of which they have operations
 * @throws InvalidDocumentError if a draft is invalid
 */
export async function createContract(
  parts: Parts,
  auth: Auth,
  drafts: Partial<Record<DocumentedSurface, Draft>> = {},
  events: FileEvents = {},
): Promise<Contract> {
  const { profile, standard } = parts;
  const versions: Record<DocumentedSurface, Live<Version>> = {
    gateway: await open('gateway'),
    storage: await open('storage'),
  };
  const prisms = new WeakMap<Document, Promise<Prism>>();

  const contract: Contract = {
    prism(surface) {
      const { document } = versions[surface].current;
      const prism = prisms.get(document) ?? loadPrism(document);
      prisms.set(document, prism);
      return prism;
    },
    extend: (router) => extend(router, Object.values(versions)),
  };
  return contract;

  async function open(surface: DocumentedSurface): Promise<Live<Version>> {
    const builtIn = documents[surface];
    const draft = drafts[surface];
    const build = (loaded: DocumentRoutes): Version => ({
      document: loaded.document,
      additions: createAdditions(surface, loaded.routes, parts, auth, (call) =>
        respondByPrism(
          { contract, profile },
          call,
          surface,
          readPreferences(call.request.headers.prefer),
        ),
      ),
    });
    if (draft !== undefined) return openLive(draft, build, events);
    const ids = [...listOperations(builtIn).keys()];
    if (ids.some((id) => !IMPLEMENTED.has(id))) return openLive(builtIn, build);
    return { current: { document: builtIn, additions: undefined }, refresh: () => undefined };
  }

  async function loadPrism(document: Document): Promise<Prism> {
    const { createPrism } = await import('../prism/prism.ts');
    return createPrism(toProfileDocument(document, profile), standard);
  }
}

/** Adds the operations of documents to a router. If it has the same, they come first. */
function extend<Surface extends Router>(
  router: Surface,
  versions: readonly Live<Version>[],
): Surface {
  const extended = createLiveRouter(versions, (request) => {
    const additions = versions.flatMap(({ current }) => current.additions ?? []);
    return additions.find((each) => each.find(request) !== undefined) ?? router;
  });
  // The rest of the router, which is for WebSockets, stays as it is.
  const { checkContinue, find } = extended;
  return Object.assign(extended, router, { checkContinue, find });
}

/** Creates a router for the operations that nothing implements, with the credentials and errors of their surface. */
function createAdditions(
  surface: DocumentedSurface,
  table: RouteTable,
  parts: Parts,
  auth: Auth,
  handle: (call: Call) => Promise<never>,
): Router | undefined {
  const routes = table.routes.filter(({ operationId }) => !IMPLEMENTED.has(operationId));
  if (routes.length === 0) return undefined;
  const handlers = routes.map(({ operationId }) => [
    operationId,
    (_input: unknown, call: Call) => handle(call),
  ]);
  const secured = toSecured(surface, { ...table, routes }, parts);
  return createRouter(secured, Object.fromEntries(handlers), {
    ...toDocumentOptions(parts, surface),
    security: toSecurity(surface, table, auth, parts),
    toError: (error: HttpError) => toContractError(surface, error),
    encodeBody: (body) => toWireForm(body, parts.profile),
  });
}

/** Stands for the three headers of a storage call, which belong together. */
const CREDENTIALS = 'credentials';

function toSecured(surface: DocumentedSurface, table: RouteTable, { profile }: Parts): RouteTable {
  if (surface === 'gateway') return table;
  const name = profile.storageHeaders.authorization;
  return {
    ...table,
    securitySchemes: { [CREDENTIALS]: { type: 'apiKey', in: 'header', name } },
    routes: table.routes.map(({ scopes: _, ...route }) => ({
      ...route,
      security: route.security.length > 0 ? [[CREDENTIALS]] : [],
    })),
  };
}

function toSecurity(
  surface: DocumentedSurface,
  { securitySchemes }: RouteTable,
  auth: Auth,
  { profile, options: { env } }: Parts,
): SecurityHandlers {
  if (surface === 'storage') {
    return {
      [CREDENTIALS]: (_, call) =>
        auth.storage.credentials(
          readCredentials(call.request.headers, profile),
          Object.assign(call, { envId: env }) as StorageLogin,
        ),
    };
  }
  const toLogin = (call: Call) => Object.assign(call, { env }) as GatewayLogin;
  // A scheme that the contract does not have accepts any credentials.
  const others = Object.keys(securitySchemes).map((name) => [name, () => ({ id: 'mock' })]);
  return {
    ...Object.fromEntries(others),
    bearerToken: (token, call) => auth.gateway.bearerToken(token, toLogin(call)),
    signature: (value, call) =>
      value.startsWith(`${SIGNATURE.algorithm} `)
        ? auth.gateway.signature(value, toLogin(call))
        : undefined,
  };
}
