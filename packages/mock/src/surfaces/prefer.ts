/** Prism's responses for the contract: to calls with `Prefer`, to calls of `hello`, and to additions. */
import type { Call } from '@berth/server-stubs/runtime';
import { type Preferences, readPreferences } from '../prism/preferences.ts';
import type { Prism } from '../prism/prism.ts';
import { errorCodesOf, type SurfaceName, toErrorWithCode } from '../surface.ts';
import { isObject } from '../user-input.ts';

/**
 * Returns the example of a success, or what the caller prefers.
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
  const found = await prism.respond(operationId, accept, preferences);
  const error = found.status < 400 ? undefined : findError(found.value);
  if (error === undefined) return found;
  // The example of a range such as `4XX` may be of another status. Only drafts define other codes.
  const isContractCode = errorCodesOf(surface).includes(error.code);
  if (contractError !== undefined && isContractCode) throw contractError;
  const { status } = found;
  throw toErrorWithCode(surface, error.code, { status, message: String(error.message) });
}

/** Returns the contract's first error with the status that the caller prefers, if it prefers nothing else. */
function findContractError(surface: SurfaceName, { code = 200, example, dynamic }: Preferences) {
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
