/** The documents of the contract, and what they document as the response to a call. */
import { gatewayRoutes, storageRoutes } from '@berth/server-stubs/contract';
import type { Call } from '@berth/server-stubs/runtime';
import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import type { Preferences, Prism, PrismResponse } from '../prism/prism.ts';
import { toSurfaceError } from '../surface.ts';
import { isObject } from '../user-input.ts';
import { isDocumented } from './document.ts';

export const DOCUMENTS = {
  gateway: { document: gateway, routes: gatewayRoutes },
  storage: { document: storage, routes: storageRoutes },
} as const;

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
