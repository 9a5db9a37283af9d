/** The contract's documents, and a draft of one of them: a document that has a path of the contract. */
import { gatewayRoutes, storageRoutes } from '@berth/server-stubs/contract';
import type { DocumentRoutes } from '@berth/server-stubs/document';
import type { Call } from '@berth/server-stubs/runtime';
import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import type { ResolvedOptions } from '../options.ts';
import {
  type Preferences,
  type Prism,
  type PrismResponse,
  readPreferences,
} from '../prism/prism.ts';
import { isObject } from '../user-input.ts';
import type { Auth } from './auth.ts';
import { DOCUMENT_UPLOAD_PATH, type DocumentedSurface, type SurfaceName } from './surface.ts';
import { errorCodesOf, type SurfaceError, toErrorWithCode } from './surface-errors.ts';

export interface ContractDocument extends Pick<DocumentRoutes, 'document' | 'routes'> {
  readonly surface: DocumentedSurface;
}

export const BUILT_IN = [
  { surface: 'gateway', document: gateway, routes: gatewayRoutes },
  { surface: 'storage', document: storage, routes: storageRoutes },
] satisfies readonly ContractDocument[];

/** What the contract's routers share. */
export type Contract = ReturnType<typeof createContract>;

/** @param documents Prism for each document. A draft comes first */
export function createContract(options: ResolvedOptions, auth: Auth, documents: readonly Prism[]) {
  return {
    options,
    auth,
    /** Responds to an implemented operation with what is documented. A draft may leave it out. */
    respond(surface: SurfaceName, call: Call) {
      const prism = documents.find(({ has }) => has(call.operationId)) as Prism;
      return respondAsDocumented(prism, call, surface);
    },
  };
}

/** Returns the surface that a draft extends. Any document may have the path of the upload target. */
export function findSurface({ paths }: DocumentRoutes['document']): DocumentedSurface | undefined {
  const extended = BUILT_IN.find(({ document }) =>
    Object.keys(document.paths).some(
      (path) => path !== DOCUMENT_UPLOAD_PATH && Object.hasOwn(Object(paths), path),
    ),
  );
  return extended?.surface;
}

/**
 * Returns the example of a success, or what the caller prefers.
 *
 * @throws the documented error, in the form of its surface; HttpError if the document has no such response
 */
export async function respondAsDocumented(
  prism: Prism,
  call: Call,
  surface: SurfaceName,
): Promise<PrismResponse> {
  const { operationId, request } = call;
  const preferences = readPreferences(request.headers.prefer) ?? {};
  const standard = findStandardError(surface, preferences);
  if (standard !== undefined && !prism.documents(operationId, standard.status)) throw standard;
  // Browsers do not know that errors of uploads are XML.
  const accept = surface === 'upload' ? undefined : request.headers.accept;
  const found = await prism.respond(operationId, accept, preferences);
  const error = found.status < 400 ? undefined : findError(found.value);
  if (error === undefined) return found;
  // The example of a range such as `4XX` may be of another status. Only a draft has codes of its own.
  const isStandard = errorCodesOf(surface).includes(error.code);
  if (standard !== undefined && isStandard) throw standard;
  const { status } = found;
  throw toErrorWithCode(surface, error.code, { status, message: String(error.message) });
}

/** Returns the contract's first error with the status that the caller prefers, if that is all it prefers. */
function findStandardError(
  surface: SurfaceName,
  { code = 200, example, dynamic }: Preferences,
): SurfaceError | undefined {
  if (code < 400 || example !== undefined || dynamic) return undefined;
  const [first] = errorCodesOf(surface, code);
  return first === undefined ? undefined : toErrorWithCode(surface, first);
}

/** Returns the fields of an error of the contract: JSON, on storage inside an envelope, or the content of an XML document. */
function findError(body: unknown): { code: string; message: unknown } | undefined {
  if (!isObject(body)) return undefined;
  const { body: content, Code, Message, code = Code, message = Message } = body;
  return typeof code === 'string' ? { code, message } : findError(content);
}
