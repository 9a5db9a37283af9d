import type { Call, Router } from '@berth/server-stubs';
import type { DocumentRoutes } from '@berth/server-stubs/document';
import { type Live, toConstant } from '../files.ts';
import type { ResolvedOptions } from '../options.ts';
import type { Preferences } from '../prism/preferences.ts';
import type { PrismResponse } from '../prism/prism.ts';
import type { DocumentedSurface } from '../surface.ts';
import type { Auth } from './auth.ts';
import { askPrism, type ContractSurface, DOCUMENTS } from './contract-documents.ts';
import { type ServedDocument, serveStandalone } from './document.ts';
import { addRoutes, findSurface, isAddition, type RequestLine, serveAdditions } from './draft.ts';
import { toDocumentOptions } from './router-options.ts';

/** The documents of the contract: the built-in ones, or a draft in place of one of them. */
export interface Contract {
  /**
   * Returns the documented response to a valid call.
   *
   * @throws the documented error, in the form of its surface; HttpError if the contract has no such response
   */
  respond(surface: ContractSurface, call: Call, preferences?: Preferences): Promise<PrismResponse>;
  /** Returns the surface of an operation that nothing implements; undefined for any other call. */
  surfaceOf(request: RequestLine): DocumentedSurface | undefined;
  /** Adds the operations that nothing implements. Every router gets all of them: a draft may add any path. */
  extend<Extended extends Router>(router: Extended): Extended;
}

/** @param draft replaces the built-in document of its surface */
export function createContract(
  draft: Live<ServedDocument> | undefined,
  options: ResolvedOptions,
  auth: Auth,
): Contract {
  const open = (surface: DocumentedSurface) =>
    draft?.current.surface === surface
      ? draft
      : toConstant(serveAdditions(surface, DOCUMENTS[surface], options, auth));
  const documents = { gateway: open('gateway'), storage: open('storage') };
  const extensions = Object.values(documents).filter(
    (document) => document === draft || document.current.routes.length > 0,
  );
  return {
    respond(surface, call, preferences) {
      const { current } = documents[surface === 'upload' ? 'storage' : surface];
      return askPrism(current.prism, call, surface, preferences);
    },
    surfaceOf: (request) =>
      extensions.find((extension) => isAddition(extension, request))?.current.surface,
    extend: (router) => extensions.reduce(addRoutes, router),
  };
}

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
