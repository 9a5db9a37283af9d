import type { Call } from '@berth/server-stubs';
import { applyDispositionRules, toResponse, UploadError } from '@berth/server-stubs/contract';
import type { HandlerResponse } from '@berth/server-stubs/runtime';
import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import type { WireProfile } from '@berth/spec/wire-profile';
import type { Preferences } from '../prism/preferences.ts';
import type { Prism, PrismResponse } from '../prism/prism.ts';
import { type DocumentedSurface, toRefusal } from '../surface.ts';
import { isObject } from '../user-input.ts';
import { toText } from './document.ts';

/**
 * A documented response. It is thrown because routers treat a returned value as a success: `data` of an
 * envelope, a hosted service's response, or a stored file.
 */
class DocumentedResponse extends Error {
  override readonly name = 'DocumentedResponse';
  readonly [toResponse]: (call: Pick<Call, 'request' | 'requestId'>) => HandlerResponse;

  constructor(status: number, respond: DocumentedResponse[typeof toResponse]) {
    super(`The contract documents ${status}.`);
    this[toResponse] = respond;
  }
}

interface ErrorRow {
  readonly code: string;
  readonly status: number;
  readonly retryAfter?: number;
}

type ContractSurface = DocumentedSurface | 'upload';

const ERRORS: Readonly<Record<ContractSurface, readonly ErrorRow[]>> = {
  gateway: defaults.gatewayErrors,
  storage: defaults.storageErrors,
  upload: defaults.uploadErrors,
};

/**
 * Responds to a valid call of the contract with Prism.
 *
 * @throws DocumentedResponse with the response, or HttpError if the contract has no such response
 */
export async function respondByPrism(
  prism: (surface: DocumentedSurface) => Promise<Prism>,
  call: Call,
  surface: ContractSurface,
  profile: WireProfile,
  preferences: Preferences = {},
): Promise<never> {
  const { code = 200, example, dynamic } = preferences;
  // Errors are documented as `default`. Prism would use its first example, whatever the status of its code is.
  const isError = code >= 400 && example === undefined && dynamic !== true;
  const row = isError ? ERRORS[surface].find(({ status }) => status === code) : undefined;
  if (row !== undefined) throw toRefusal(surface, row.code);
  // Browsers do not know that errors of uploads are XML.
  const accept = surface === 'upload' ? undefined : call.request.headers.accept;
  const source = await prism(surface === 'upload' ? 'storage' : surface);
  const found = await source.respond(call.operationId, { accept, preferences });
  if (surface === 'upload' && isObject(found.body)) {
    // Prism cannot write the XML of errors, because it does not know the name of the root element.
    const { Code, Message } = found.body;
    throw new UploadError(String(Code), { status: found.status, message: String(Message) });
  }
  const upstream = profile.gatewayHeaders.upstreamStatus.toLowerCase();
  throw new DocumentedResponse(found.status, ({ request, requestId }) => {
    const type = found.headers['content-type'] ?? '';
    const value = adaptBody(found, surface, requestId);
    const body = value === undefined || isObject(value) ? value : toText(value, type);
    const lastId = type.startsWith('text/event-stream')
      ? request.headers['last-event-id']
      : undefined;
    const rest = lastId === undefined ? body : skipEvents(String(body), String(lastId));
    // WHATWG HTML, section 9.2.1: a 204 makes clients stop reconnecting.
    const status = lastId !== undefined && rest === '' ? 204 : found.status;
    const retryAfter = findRetryAfter(status, value, surface);
    // Values of the call replace those of the example.
    const { 'content-disposition': _, 'retry-after': __, ...others } = found.headers;
    const headers: Record<string, string> = { ...others, 'x-request-id': requestId };
    if (upstream in headers) headers[upstream] = `${status}`;
    // RFC 9110, section 10.2.3.
    if (retryAfter !== undefined) headers['retry-after'] = `${retryAfter}`;
    if (surface === 'gateway') applyDispositionRules(request, headers);
    return { status, headers, body: status === 204 ? undefined : rest } as HandlerResponse;
  });
}

/** Returns the events after the one with an ID; all of them if there is none. */
function skipEvents(text: string, id: string): string {
  const events = text.split(/(?<=\n\n)/);
  return events.slice(events.findIndex((event) => event.startsWith(`id: ${id}\n`)) + 1).join('');
}

/** Values from the current call replace those in the example: the request ID (D9) and `statusCode` (D20). */
function adaptBody({ status, body }: PrismResponse, surface: string, requestId: string): unknown {
  if (!isObject(body)) return body;
  if (surface === 'gateway') {
    return 'requestId' in body && 'code' in body ? { ...body, requestId } : body;
  }
  if (isObject(body.body)) {
    return { ...body, statusCode: status, body: { ...body.body, requestId } };
  }
  return 'requestId' in body ? { ...body, requestId } : body;
}

function findRetryAfter(status: number, body: unknown, surface: ContractSurface) {
  if (status < 400 || !isObject(body)) return undefined;
  const { code } = isObject(body.body) ? body.body : body;
  return ERRORS[surface].find((row) => row.code === code)?.retryAfter;
}
