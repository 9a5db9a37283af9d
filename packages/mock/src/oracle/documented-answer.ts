import { type Answer, applyDispositionRules, type Call, toAnswer } from '@berth/server-stubs';
import { gatewayErrors, storageErrors } from '../contract/defaults.ts';
import type { WireProfile } from '../contract/wire-profile.ts';
import { isObject } from '../is-object.ts';
import type { Documented } from './create-oracle.ts';

/** Headers that every answer gets anew, and one that belongs to some codes only. */
const OWN = ['x-request-id', 'content-disposition', 'retry-after'];

/**
 * An answer as the contract documents it. It is thrown, for what a router is returned counts as a
 * success: `data` of an envelope, or the answer of a hosted service.
 */
export class DocumentedAnswer extends Error {
  override readonly name = 'DocumentedAnswer';
  readonly #documented: Documented;
  readonly #surface: 'gateway' | 'storage';
  readonly #profile: WireProfile;

  constructor(documented: Documented, surface: 'gateway' | 'storage', profile: WireProfile) {
    super(`The contract documents ${documented.status}.`);
    this.#documented = documented;
    this.#surface = surface;
    this.#profile = profile;
  }

  /** What belongs to the call is the call's own: its identifier (D9), and `statusCode` (D20). */
  [toAnswer]({ request, requestId }: Pick<Call, 'request' | 'requestId'>): Answer {
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
