import type { IncomingHttpHeaders } from 'node:http';
import { applyDispositionRules, type Violation } from '@berth/server-stubs';
import type { ErrorObject } from 'ajv';
import type { Operation } from '../contract/contract.ts';
import type { SurfaceName } from '../contract/surface.ts';
import { applyProfile, type WireProfile } from '../contract/wire-profile.ts';
import { CODES } from '../faults/fault.ts';
import { compileSchema } from '../surfaces/explain-refusal.ts';
import { isObject, parseJson } from '../util/values.ts';
import { findHeader, listHeader, type RawHeaders } from './headers.ts';

export interface CheckedResponse {
  readonly surface: SurfaceName;
  readonly operationId: string | undefined;
  readonly method: string;
  readonly requestHeaders: IncomingHttpHeaders;
  readonly status: number;
  readonly headers: RawHeaders;
  readonly body: Buffer | undefined;
  readonly isWhole: boolean;
}

/**
 * Creates a function that checks a deployment's responses against the contract. Anything that the contract
 * leaves open is not checked.
 */
export function createResponseChecker(profile: WireProfile, contract: readonly Operation[]) {
  const operations = applyProfile(contract, profile);
  const find = (operationId: string) => operations.find(({ id }) => id === operationId);
  const upstreamStatus = profile.gatewayHeaders.upstreamStatus.toLowerCase();

  function checkGateway(response: CheckedResponse): readonly Violation[] {
    const { headers, status, operationId, method } = response;
    const requestId = findHeader(headers, 'x-request-id');
    // D9: every gateway response has it, including 101 and OPTIONS.
    const missing =
      requestId === undefined
        ? [violate('/headers/x-request-id', 'required', 'The X-Request-Id header is missing.')]
        : [];
    if (method === 'OPTIONS') return missing;
    const body = parse(response);
    if (findHeader(headers, upstreamStatus) === undefined && isOwnError(status, body)) {
      const documented = checkDocumented(find(operationId ?? 'cloudrun-get'), response, body);
      return [...missing, ...documented.filter(isNoRequestId), ...checkError(body, requestId)];
    }
    // D7: for any other response from a hosted service, only the headers are checked.
    return [...missing, ...checkDisposition(response)];
  }

  return (response: CheckedResponse): readonly Violation[] => {
    const { surface, method, operationId } = response;
    if (surface === 'gateway') return checkGateway(response);
    if (surface === 'link' || method === 'OPTIONS' || operationId === undefined) return [];
    if (!isReadable(response)) return [];
    return surface === 'storage'
      ? checkDocumented(find(operationId), response, parse(response))
      : checkUpload(response);
  };
}

const JSON_TYPE = 'application/json';

/**
 * Checks a response against the documented response for its status.
 *
 * @param body parsed body; undefined if it is not JSON
 */
function checkDocumented(
  operation: Operation | undefined,
  { status, headers, method }: CheckedResponse,
  body: unknown,
): readonly Violation[] {
  const responses = operation?.responses ?? {};
  const range = `${Math.floor(status / 100)}XX`;
  const documented = responses[status] ?? responses[range] ?? responses.default;
  if (documented === undefined) {
    return [violate('/status', 'status', `The status ${status} is not documented.`)];
  }
  const missing = Object.entries(documented.headers ?? {})
    .filter(([name, { required }]) => required && !findHeader(headers, name.toLowerCase()))
    .map(([name]) =>
      violate(`/headers/${name.toLowerCase()}`, 'required', `The ${name} header is missing.`),
    );
  const schema = documented.content?.[JSON_TYPE]?.schema;
  if (schema === undefined || method === 'HEAD') return missing;
  if (body === undefined) {
    const message = `The body of a ${status} response must be JSON with the Content-Type ${JSON_TYPE}.`;
    return [...missing, violate('/body', 'contentType', message)];
  }
  const validate = compileSchema(schema);
  return validate(body) ? missing : [...missing, ...(validate.errors ?? []).map(toViolation)];
}

function toViolation({ instancePath, keyword, schemaPath, params, message }: ErrorObject) {
  const lost = keyword === 'required' ? `/${params.missingProperty}` : '';
  const pointer = `/body${instancePath}${lost}`;
  const field = pointer
    .slice(1)
    .replaceAll(/\/(\d+)(?=\/|$)/g, '[$1]')
    .replaceAll('/', '.');
  const what = keyword === 'required' ? 'is missing' : (message ?? 'is not valid');
  return violate(pointer, keyword, `${field} ${what}.`, schemaPath);
}

const FIELDS = ['code', 'message', 'requestId'];

/**
 * Returns whether a response is the gateway's own refusal rather than the hosted service's response. If the
 * deployment does not set the upstream status (D10), the body decides: either a code from the contract, or
 * two of the three fields.
 */
function isOwnError(status: number, body: unknown): boolean {
  if (status < 400 || !isObject(body)) return false;
  const known = FIELDS.filter((name) => Object.hasOwn(body, name));
  return CODES.gateway.includes(String(body.code)) || known.length >= 2;
}

/** D9: "The `requestId` in an error body is the same ID." */
function checkError(body: unknown, requestId: string | undefined): Violation[] {
  if (!isObject(body) || requestId === undefined || typeof body.requestId !== 'string') return [];
  if (body.requestId === requestId) return [];
  return [violate('/body/requestId', 'const', 'body.requestId must equal X-Request-Id.')];
}

const DISPOSITION = 'content-disposition';

const EVENTS = /^text\/event-stream\b/i;

/** C1 to C3, to the extent that D8 applies them to every deployment. */
function checkDisposition(response: CheckedResponse): Violation[] {
  const { method, requestHeaders, headers, status } = response;
  const type = findHeader(headers, 'content-type');
  const isUpgrade = status === 101;
  const hasBody = status !== 204 && status !== 304 && (method === 'GET' || method === 'POST');
  if (!isUpgrade && (!hasBody || type === undefined)) return [];
  const accepts = /text\/event-stream/i.test(String(requestHeaders.accept ?? ''));
  if (!isUpgrade && EVENTS.test(type ?? '') && !accepts) return [];
  const expected = isUpgrade
    ? {}
    : applyDispositionRules({ method, headers: requestHeaders }, { 'content-type': type });
  const own = listHeader(headers, DISPOSITION);
  if (expected[DISPOSITION] === undefined) {
    return own.length === 0 ? [] : [violateDisposition('must be missing (C2, C3)')];
  }
  const isAttached =
    own.some((value) => /^\s*attachment\b/i.test(value)) &&
    !own.some((value) => /^\s*inline\b/i.test(value));
  return isAttached ? [] : [violateDisposition('must be attachment (C1, C2)')];
}

function violateDisposition(what: string): Violation {
  return violate(
    `/headers/${DISPOSITION}`,
    'disposition',
    `The Content-Disposition header ${what}.`,
  );
}

/** D27: a refusal is an XML `Error`, and no other response is. */
function checkUpload({ status, body }: CheckedResponse): readonly Violation[] {
  const isError = /<Error[\s/>]/.test(body?.toString() ?? '');
  if (status >= 400 && !isError) {
    return [
      violate(
        '/body',
        'xml',
        `The body of a ${status} response must contain an XML Error element.`,
      ),
    ];
  }
  if (status < 400 && isError) {
    return [
      violate(
        '/body',
        'xml',
        `The body of a ${status} response must not contain an XML Error element.`,
      ),
    ];
  }
  return [];
}

function isNoRequestId({ pointer }: Violation): boolean {
  return pointer !== '/headers/x-request-id';
}

const UNCODED = /^(?:identity)?$/i;

/** Returns whether the body can be read; bodies that are long or encoded cannot. */
function isReadable({ headers, isWhole }: CheckedResponse): boolean {
  return isWhole && UNCODED.test(findHeader(headers, 'content-encoding') ?? '');
}

const JSON_BODY = /^application\/json\s*(?:;|$)/i;

/** Returns the parsed body; undefined if it is not JSON. */
function parse(response: CheckedResponse): unknown {
  const { headers, body } = response;
  if (!isReadable(response) || !JSON_BODY.test(findHeader(headers, 'content-type') ?? '')) {
    return undefined;
  }
  return body && parseJson(body.toString());
}

export function violate(
  pointer: string,
  keyword: string,
  message: string,
  schemaPath = '',
): Violation {
  return { in: 'response', pointer, keyword, message, schemaPath };
}
