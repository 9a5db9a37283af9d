/** The documents of the contract: the gateway's and the storage API's, and a draft of one of them. */
import { gatewayRoutes, storageRoutes } from '@berth/server-stubs/contract';
import type { DocumentRoutes } from '@berth/server-stubs/document';
import type { Call, Router } from '@berth/server-stubs/runtime';
import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import type { ServedDocument } from '../document.ts';
import { type Live, toConstant } from '../live.ts';
import type { ResolvedOptions } from '../options.ts';
import type { Preferences } from '../prism/prism.ts';
import type { Services } from '../services/create-services.ts';
import { DOCUMENT_UPLOAD_PATH, type DocumentedSurface, type SurfaceName } from '../surface.ts';
import { respondAsDocumented, serveAdditions } from './additions.ts';
import type { Auth } from './auth.ts';

export const BUILT_IN = {
  gateway: { document: gateway, routes: gatewayRoutes },
  storage: { document: storage, routes: storageRoutes },
} as const;

const DOCUMENTED = ['gateway', 'storage'] as const;

export function createContract(
  options: ResolvedOptions,
  auth: Auth,
  draft: Live<ServedDocument> | undefined,
) {
  const builtIn = DOCUMENTED.map((surface) =>
    toConstant(serveAdditions(surface, BUILT_IN[surface], options, auth)),
  );
  const documents = draft === undefined ? builtIn : [draft, ...builtIn];
  // A draft may add operations later.
  const withAdditions = documents.filter(
    (document) => document === draft || document.current.routes.length > 0,
  );
  return {
    hasAdditions: withAdditions.length > 0,
    /** Returns the document that has added an operation. */
    findAddition: (request: Parameters<Router['find']>[0]) =>
      withAdditions.find(({ current }) => current.router.find(request))?.current,
    /** Responds to an operation that the mock implements with what is documented. A draft may leave it out. */
    respond(surface: SurfaceName, call: Call, preferences?: Preferences) {
      const found = documents.find(({ current }) => current.prism.has(call.operationId));
      const { current } = found as Live<ServedDocument>;
      return respondAsDocumented(current.prism, call, surface, preferences);
    },
  };
}

/** What the routers of the contract are made of. */
export interface ContractParts {
  readonly options: ResolvedOptions;
  readonly auth: Auth;
  readonly services: Services;
  readonly contract: ReturnType<typeof createContract>;
}

/** A draft has a path of the contract. Any document may have the path of the upload target. */
export function findSurface({ paths }: DocumentRoutes['document']): DocumentedSurface | undefined {
  return DOCUMENTED.find((surface) =>
    Object.keys(BUILT_IN[surface].document.paths).some(
      (path) => path !== DOCUMENT_UPLOAD_PATH && Object.hasOwn(Object(paths), path),
    ),
  );
}
