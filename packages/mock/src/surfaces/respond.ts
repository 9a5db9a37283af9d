/**
 * Who responds to a call that its router has accepted:
 *
 * 1. a fault that ends the call (`app.ts`)
 * 2. the implementation of its operation: a hosted service, or the storage engine
 * 3. Prism, with the response that the document describes, if nothing implements the operation, or if the caller
 *    chooses a response with `Prefer`, unless the implementation itself handles `Prefer`
 */
import type { Call } from '@berth/server-stubs/runtime';
import { type Preferences, readPreferences } from '../prism/preferences.ts';
import type { Prism } from '../prism/prism.ts';
import { errorCodesOf, type SurfaceName, toErrorWithCode } from '../surface.ts';
import { isObject } from '../user-input.ts';

/** Whether the caller chooses a response of the document. @throws HttpError that names an invalid preference */
export function prefersPrism({ request }: Call): boolean {
  return readPreferences(request) !== undefined;
}

/**
 * Returns Prism's response: the example of a success, or what the caller prefers.
 *
 * @throws the documented error, in the form of its surface; HttpError if the document has no such response
 */
export async function respondAsDocumented(prism: Prism, surface: SurfaceName, call: Call) {
  const { operationId, request } = call;
  const preferences = readPreferences(request) ?? {};
  const contractError = findContractError(surface, preferences);
  if (contractError !== undefined && !prism.hasStatus(operationId, contractError.status)) {
    throw contractError;
  }
  // Browsers do not know that errors of uploads are XML.
  const accept = surface === 'upload' ? undefined : request.headers.accept;
  const response = await prism.respond(operationId, accept, preferences);
  const { status, value } = response;
  const error = status < 400 ? undefined : findError(value);
  if (error === undefined) return response;
  // The example of a range such as `4XX` may be of another status. Only drafts define other codes.
  const isContractCode = errorCodesOf(surface).includes(error.code);
  if (contractError !== undefined && isContractCode) throw contractError;
  throw toErrorWithCode(surface, error.code, { status, message: String(error.message) });
}

/** Returns the contract's first error with the status that the caller prefers, if it prefers nothing else. */
function findContractError(surface: SurfaceName, { code = 200, example, dynamic }: Preferences) {
  if (code < 400 || example !== undefined || dynamic) return undefined;
  const [first] = errorCodesOf(surface, code);
  return first === undefined ? undefined : toErrorWithCode(surface, first);
}

/** Returns the fields of an error of the contract, which storage puts into an envelope, and uploads into XML. */
function findError(body: unknown): { code: string; message: unknown } | undefined {
  if (!isObject(body)) return undefined;
  const { body: content, Code, Message, code = Code, message = Message } = body;
  return typeof code === 'string' ? { code, message } : findError(content);
}
