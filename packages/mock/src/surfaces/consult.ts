import type { IncomingHttpHeaders } from 'node:http';
import {
  applyDispositionRules,
  type Call,
  type HandlerResponse,
  toResponse,
} from '@berth/server-stubs';
import type { Context } from '../context.ts';
import type { Operation } from '../contract/contract.ts';
import { gatewayErrors, storageErrors } from '../contract/defaults.ts';
import type { Documented } from '../contract/oracle/create-oracle.ts';
import { type Preferences, readPreferences } from '../contract/oracle/read-preferences.ts';
import { describeViolation } from '../contract/oracle/violation.ts';
import { refusalFor, type SurfaceName, toRefusal } from '../contract/surface.ts';
import type { WireProfile } from '../contract/wire-profile.ts';
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
  if ('fault' in preferences) {
    throw refusalFor('invalid', surface, { message: preferences.fault });
  }
  return { seed, ...preferences };
}

/** Headers that each response sets itself, plus one that only some codes have. */
const OWN = ['x-request-id', 'content-disposition', 'retry-after'];

/**
 * A documented response. It is thrown because routers treat a returned value as a success: `data` of an
 * envelope, or a hosted service's response.
 */
class DocumentedResponse extends Error {
  override readonly name = 'DocumentedResponse';
  readonly #documented: Documented;
  readonly #surface: 'gateway' | 'storage';
  readonly #profile: WireProfile;

  constructor(documented: Documented, surface: 'gateway' | 'storage', profile: WireProfile) {
    super(`The contract documents ${documented.status}.`);
    this.#documented = documented;
    this.#surface = surface;
    this.#profile = profile;
  }

  /**
   * Values from the current call replace those in the example: the request ID (D9) and `statusCode` (D20).
   */
  [toResponse]({ request, requestId }: Pick<Call, 'request' | 'requestId'>): HandlerResponse {
    const { status, body } = this.#documented;
    const own = this.#adapt(body, requestId);
    const headers: Record<string, string> = {
      ...this.#headers(),
      ...this.#retryAfter(own),
      'x-request-id': requestId,
    };
    const isJson = /^application\/json\b/.test(headers['content-type'] ?? 'application/json');
    return {
      status,
      headers:
        this.#surface === 'gateway'
          ? (applyDispositionRules(request, headers) as Record<string, string>)
          : headers,
      body: own === undefined || (!isJson && typeof own === 'string') ? own : JSON.stringify(own),
    };
  }

  #adapt(body: unknown, requestId: string): unknown {
    if (!isObject(body)) return body;
    if (this.#surface === 'storage') {
      if (!isObject(body.body)) return body;
      return { ...body, statusCode: this.#documented.status, body: { ...body.body, requestId } };
    }
    return 'requestId' in body && 'code' in body ? { ...body, requestId } : body;
  }

  #headers(): Record<string, string> {
    const { status, headers } = this.#documented;
    const known = Object.entries(headers).flatMap(([given, value]) => {
      const name = given.toLowerCase();
      const isLeftOut = value === null || value === undefined || OWN.includes(name);
      return isLeftOut ? [] : [[name, String(value)]];
    });
    const named = Object.fromEntries(known);
    const upstream = this.#profile.gatewayHeaders.upstreamStatus.toLowerCase();
    if (upstream in named) named[upstream] = String(status);
    return named;
  }

  /** RFC 9110, section 10.2.3. */
  #retryAfter(body: unknown): Record<string, string> {
    if (this.#documented.status < 400 || !isObject(body)) return {};
    const { code } = isObject(body.body) ? body.body : body;
    const row = (this.#surface === 'gateway' ? gatewayErrors : storageErrors).find(code);
    return row?.retryAfter === undefined ? {} : { 'retry-after': String(row.retryAfter) };
  }
}

/** Prism determines the statuses. */
const MISSING = {
  example: {
    status: 404,
    message: 'The response has no example with the name that the Prefer header requests',
  },
  status: {
    status: 404,
    message: 'The contract has no response with the status that the Prefer header requests',
  },
  type: {
    status: 406,
    message: 'The response has no content type that matches the Accept header',
  },
};

interface Question {
  readonly surface: Extract<SurfaceName, 'gateway' | 'storage'>;
  /** Path parameters, decoded once; a greedy one as received. */
  readonly params: Record<string, string>;
  /** Flat and valid. */
  readonly body: unknown;
}

/**
 * Gets the documented response to a call from Prism.
 *
 * @throws DocumentedResponse with the response, or ContractError if the contract has no such response
 */
export async function consult(
  context: Context,
  call: Call,
  { surface, params, body }: Question,
  preferences: Preferences = { dynamic: false },
): Promise<never> {
  const operation = context.operations.find(({ id }) => id === call.operationId);
  if (operation === undefined) throw new TypeError(`There is no operation ${call.operationId}.`);
  const own = findOwnError(preferences, surface);
  const { ask } = await context.oracle();
  const headers = toPrismHeaders(call.request.headers);
  const verdict = await ask({ operation, params, headers, body, preferences: { ...preferences } });
  if ('violations' in verdict) {
    const sentences = verdict.violations.map((violation) => describeViolation(violation, body));
    throw refusalFor('invalid', surface, { message: sentences.join(' ') });
  }
  if (own !== undefined) throw toRefusal(surface, own.code);
  if ('missing' in verdict) {
    const { status, message } = MISSING[verdict.missing];
    const hint = verdict.missing === 'status' ? `: use ${listStatuses(operation, surface)}.` : '.';
    throw refusalFor('invalid', surface, { status, message: message + hint });
  }
  throw new DocumentedResponse(verdict.documented, surface, context.profile);
}

/** Lists the statuses that a caller may prefer. */
function listStatuses({ responses }: Operation, surface: Question['surface']): string {
  const documented = Object.keys(responses).filter((status) => status !== 'default');
  const { statuses } = surface === 'gateway' ? gatewayErrors : storageErrors;
  return [...new Set([...documented, ...statuses.map(String)])].toSorted().join(', ');
}

/**
 * Selects the error for a preferred status. Prism would use the first example of the `default` response,
 * regardless of the status of its code.
 */
function findOwnError({ code, exampleKey, dynamic }: Preferences, surface: Question['surface']) {
  if (code === undefined || exampleKey !== undefined || dynamic) return undefined;
  return (surface === 'gateway' ? gatewayErrors : storageErrors).findStatus(code);
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
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
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
