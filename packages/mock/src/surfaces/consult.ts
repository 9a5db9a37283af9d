import type { IncomingHttpHeaders } from 'node:http';
import type { Call } from '@berth/server-stubs';
import { applyDispositionRules, toResponse } from '@berth/server-stubs/contract';
import type { HandlerResponse } from '@berth/server-stubs/runtime';
import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import type { Context } from '../context.ts';
import { type Operation, operations } from '../contract/contract.ts';
import type { Documented } from '../contract/oracle/create-oracle.ts';
import { type Preferences, readPreferences } from '../contract/oracle/read-preferences.ts';
import { refusalFor, type SurfaceName, toRefusal } from '../contract/surface.ts';
import { isObject } from '../util/values.ts';

/**
 * Parses the `Prefer` header; returns undefined if it has no preference for the mock.
 *
 * @throws ContractError for an invalid preference
 */
export function preferencesOf(
  { request }: Call,
  surface: SurfaceName,
  { options: { seed } }: Context,
): Preferences | undefined {
  const { prefer } = request.headers;
  if (prefer === undefined) return undefined;
  const preferences = readPreferences([prefer].flat().join(','));
  if (preferences === undefined) return undefined;
  if ('fault' in preferences) throw refusalFor('invalid', surface, { message: preferences.fault });
  return { seed, ...preferences };
}

/**
 * A documented response. It is thrown because routers treat a returned value as a success: `data` of an
 * envelope, a hosted service's response, or a stored file.
 */
export class DocumentedResponse extends Error {
  override readonly name = 'DocumentedResponse';
  readonly [toResponse]: (call: Pick<Call, 'request' | 'requestId'>) => HandlerResponse;

  constructor(status: number, respond: DocumentedResponse[typeof toResponse]) {
    super(`The contract documents ${status}.`);
    this[toResponse] = respond;
  }
}

/** The surfaces whose responses Prism can create, with their error tables. */
const ERRORS: Readonly<Record<'gateway' | 'storage', readonly ErrorRow[]>> = {
  gateway: defaults.gatewayErrors,
  storage: defaults.storageErrors,
};

interface ErrorRow {
  readonly code: string;
  readonly status: number;
  readonly retryAfter?: number;
}

/** Prism determines the statuses. */
const MISSING = {
  example: {
    status: 404,
    message: 'The response has no example with the name that the Prefer header requests.',
  },
  status: {
    status: 404,
    message: 'The contract has no response with the status that the Prefer header requests: use ',
  },
  type: {
    status: 406,
    message: 'The response has no content type that matches the Accept header.',
  },
};

/**
 * Gets the documented response to a valid call from Prism.
 *
 * @throws DocumentedResponse with the response, or ContractError if the contract has no such response
 */
export async function consult(
  { oracle, profile }: Context,
  call: Call,
  surface: keyof typeof ERRORS,
  preferences: Preferences,
): Promise<never> {
  const operation = operations.find(({ id }) => id === call.operationId);
  if (operation === undefined) throw new TypeError(`There is no operation ${call.operationId}.`);
  const { code, exampleKey, dynamic } = preferences;
  // Prism would use the first example of the `default` response, regardless of the status of its code.
  const isOwn = code !== undefined && code >= 400 && exampleKey === undefined && !dynamic;
  const row = isOwn ? ERRORS[surface].find(({ status }) => status === code) : undefined;
  if (row !== undefined) throw toRefusal(surface, row.code);
  const ask = await oracle();
  const found = await ask(operation, toPrismHeaders(call.request.headers), preferences);
  if ('missing' in found) {
    const { status, message } = MISSING[found.missing];
    const hint = found.missing === 'status' ? `${listStatuses(operation, surface)}.` : '';
    throw refusalFor('invalid', surface, { status, message: message + hint });
  }
  const upstream = profile.gatewayHeaders.upstreamStatus.toLowerCase();
  throw new DocumentedResponse(found.status, ({ request, requestId }) => {
    const { status } = found;
    const body = adaptBody(found, surface, requestId);
    const own: Record<string, string> = {
      ...adaptHeaders(found, upstream),
      'x-request-id': requestId,
    };
    const retryAfter = findRetryAfter(status, body, surface);
    const headers = retryAfter === undefined ? own : { ...own, 'retry-after': `${retryAfter}` };
    const isJson = /^application\/json\b/.test(own['content-type'] ?? 'application/json');
    const isText = isJson && typeof body === 'string';
    return {
      status,
      headers: surface === 'gateway' ? { ...applyDispositionRules(request, headers) } : headers,
      body: isText ? JSON.stringify(body) : body,
    } as HandlerResponse;
  });
}

/** Values from the current call replace those in the example: the request ID (D9) and `statusCode` (D20). */
function adaptBody({ status, body }: Documented, surface: string, requestId: string): unknown {
  if (!isObject(body)) return body;
  if (surface === 'gateway') {
    return 'requestId' in body && 'code' in body ? { ...body, requestId } : body;
  }
  if (!isObject(body.body)) return body;
  return { ...body, statusCode: status, body: { ...body.body, requestId } };
}

/** Headers that each response sets itself, plus one that only some codes have. */
const OWN = ['x-request-id', 'content-disposition', 'retry-after'];

function adaptHeaders({ status, headers }: Documented, upstream: string): Record<string, string> {
  const given = Object.entries(headers).flatMap(([name, value]) => {
    const lower = name.toLowerCase();
    if (value === null || value === undefined || OWN.includes(lower)) return [];
    return [[lower, lower === upstream ? `${status}` : String(value)]];
  });
  return Object.fromEntries(given);
}

/** RFC 9110, section 10.2.3. */
function findRetryAfter(status: number, body: unknown, surface: keyof typeof ERRORS) {
  if (status < 400 || !isObject(body)) return undefined;
  const { code } = isObject(body.body) ? body.body : body;
  return ERRORS[surface].find((row) => row.code === code)?.retryAfter;
}

function listStatuses({ responses }: Operation, surface: keyof typeof ERRORS): string {
  const documented = Object.keys(responses).filter((status) => status !== 'default');
  const known = ERRORS[surface].map(({ status }) => String(status));
  return [...new Set([...documented, ...known])].toSorted().join(', ');
}

/**
 * Converts request headers to the form that Prism supports.
 *
 * - Content-Type is omitted: each surface has checked it, and Prism throws on an invalid media type.
 * - Accept is rewritten, see `toPrismAccept`.
 */
function toPrismHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const { 'content-type': _, ...rest } = headers;
  const entries = Object.entries({ ...rest, accept: toPrismAccept(headers.accept) });
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}

const TOKEN = "[\\w!#$%&'*+.^`|~-]+";

const MEDIA_RANGE = new RegExp(
  `^\\s*${TOKEN}/${TOKEN}(\\s*;\\s*${TOKEN}=(${TOKEN}|"[^"]*"))*\\s*$`,
);

/**
 * Returns an Accept header that Prism interprets correctly.
 *
 * - Without the header, any media type is acceptable (RFC 9110, section 12.5.1).
 * - Invalid media ranges are removed, because Prism throws on them.
 * - Prism considers a documented `*` + `/*` the best match for the range `*` + `/*`, and would respond with
 * "any bytes". JSON, its own default, is inserted before it.
 */
function toPrismAccept(accept = '*/*'): string {
  const ranges = accept.split(',').filter((range) => MEDIA_RANGE.test(range));
  return (ranges.length > 0 ? ranges : ['*/*'])
    .map((range) => range.replace(/^\s*\*\/\*(.*)$/, 'application/json$1,$&'))
    .join(',');
}
