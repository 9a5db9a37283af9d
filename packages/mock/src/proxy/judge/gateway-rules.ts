import { applyDispositionRules, type Violation } from '@berth/server-stubs';
import { gatewayErrors } from '../../contract/defaults.ts';
import { isObject } from '../../is-object.ts';
import { findHeader, listHeader } from '../headers.ts';
import type { JudgedAnswer } from './create-answer-judge.ts';
import { violate } from './violate.ts';

const FIELDS = ['code', 'message', 'requestId'];
const DISPOSITION = 'content-disposition';
const EVENTS = /^text\/event-stream\b/i;

/**
 * Whether an answer is the gateway's own refusal, and not the hosted service's. Where the deployment
 * does not tell by the upstream status (D10), the body does: a code of the contract, or two of the
 * three fields.
 */
export function isOwnError(status: number, body: unknown): boolean {
  if (status < 400 || !isObject(body)) return false;
  const known = FIELDS.filter((name) => Object.hasOwn(body, name));
  return gatewayErrors.find(body.code) !== undefined || known.length >= 2;
}

/** D9: "an error body's `requestId` equals it". */
export function judgeError(body: unknown, requestId: string | undefined): Violation[] {
  if (!isObject(body) || requestId === undefined || typeof body.requestId !== 'string') return [];
  if (body.requestId === requestId) return [];
  return [violate('/body/requestId', 'const', 'body.requestId must equal the X-Request-Id.')];
}

/** C1 to C3, as far as D8 makes them everybody's. */
export function judgeDisposition(answer: JudgedAnswer): Violation[] {
  const { method, requestHeaders, headers, status } = answer;
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
    return own.length === 0 ? [] : [toViolation('must be missing (C2, C3)')];
  }
  const isAttached =
    own.some((value) => /^\s*attachment\b/i.test(value)) &&
    !own.some((value) => /^\s*inline\b/i.test(value));
  return isAttached ? [] : [toViolation('must be attachment (C1, C2)')];
}

function toViolation(what: string): Violation {
  return violate(
    `/headers/${DISPOSITION}`,
    'disposition',
    `The header Content-Disposition ${what}.`,
  );
}
