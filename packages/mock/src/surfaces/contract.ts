/**
 * The contract that a mock serves: its documents, what they document as the response to a call, and the operations that
 * nothing implements (`drafts.ts`).
 */
import { gatewayRoutes, storageRoutes } from '@berth/server-stubs/contract';
import type { Call, Listener, Router } from '@berth/server-stubs/runtime';
import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import { type Live, toConstant } from '../live.ts';
import type { Preferences, Prism, PrismResponse } from '../prism/prism.ts';
import { type DocumentedSurface, STORAGE_OPERATIONS, toSurfaceError } from '../surface.ts';
import { isObject } from '../user-input.ts';
import { isDocumented, type ServedDocument } from './document.ts';

export const DOCUMENTS = {
  gateway: { document: gateway, routes: gatewayRoutes },
  storage: { document: storage, routes: storageRoutes },
} as const;

/** The operations that the mock implements. Prism responds to all others. */
export const IMPLEMENTED: ReadonlySet<string> = new Set([
  ...STORAGE_OPERATIONS,
  'cloudrun-get-root',
  'cloudrun-post-root',
  'cloudrun-get',
  'cloudrun-post',
  'uploadFile',
]);

type RequestLine = Parameters<Router['find']>[0];

/**
 * @param draft replaces the built-in document of its surface
 * @param serve serves the built-in document of a surface
 */
export function createContract(
  draft: Live<ServedDocument> | undefined,
  serve: (surface: DocumentedSurface) => ServedDocument,
) {
  const open = (surface: DocumentedSurface) =>
    draft?.current.surface === surface ? draft : toConstant(serve(surface));
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
    surfaceOfAddition: (request: RequestLine) => findAddition(request)?.surface,
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

const ERRORS = {
  gateway: defaults.gatewayErrors,
  storage: defaults.storageErrors,
  upload: defaults.uploadErrors,
} satisfies Record<string, readonly { code: string; status: number }[]>;

export type ContractSurface = keyof typeof ERRORS;

/**
 * Returns the documented response to a valid call.
 *
 * @throws the documented error, in the form of its surface; HttpError if the document has no such response
 */
export async function respondAsDocumented(
  prism: Prism,
  call: Call,
  surface: ContractSurface,
  preferences: Preferences = {},
): Promise<PrismResponse> {
  const { operationId, request } = call;
  const { code = 200, example, dynamic } = preferences;
  // Responses that errors share, such as `default`, have the example of one of them. Drafts also document their own codes.
  const isError = code >= 400 && example === undefined && dynamic !== true;
  const row = isError ? ERRORS[surface].find(({ status }) => status === code) : undefined;
  if (row !== undefined && !isDocumented(call, code)) throw toSurfaceError(surface, row.code);
  // Browsers do not know that errors of uploads are XML.
  const accept = surface === 'upload' ? undefined : request.headers.accept;
  const found = await prism.respond(operationId, accept, preferences);
  const error = found.status < 400 ? undefined : findError(found.body);
  if (error === undefined) return found;
  const isShared = ERRORS[surface].some((known) => known.code === error.code);
  if (row !== undefined && isShared) throw toSurfaceError(surface, row.code);
  const { status } = found;
  throw toSurfaceError(surface, error.code, { status, message: String(error.message) });
}

/** Returns the fields of an error of the contract: JSON, on storage inside an envelope, or the content of an XML document. */
function findError(body: unknown): { code: string; message: unknown } | undefined {
  if (!isObject(body)) return undefined;
  const { body: content, Code, Message, code = Code, message = Message } = body;
  return typeof code === 'string' ? { code, message } : findError(content);
}
