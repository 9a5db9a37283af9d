import type { Context } from '../context.ts';
import type { ErrorTable } from '../contract/defaults.ts';
import type { Operation } from '../contract/operations.ts';
import { retryAfter } from '../contract/retry-after.ts';
import type { Call } from '../http/call.ts';
import { isObject } from '../is-object.ts';
import { Refusal } from '../refusal.ts';
import type { Documented } from './create-oracle.ts';
import { toPrismHeaders } from './prism-headers.ts';
import { type Preferences, readPreferences } from './read-preferences.ts';
import { describeViolation } from './violation.ts';

/** More sentences than these do not help. */
const MAX_SENTENCES = 3;

/** The statuses are Prism's. */
const MISSING = {
  example: {
    status: 404,
    message: 'The answer has no example of the name that the header Prefer gives.',
  },
  status: {
    status: 404,
    message: 'The contract has no answer of the status that the header Prefer gives.',
  },
  type: { status: 406, message: 'The answer has no content type that the header Accept takes.' },
};

export interface Consultation {
  operation: Operation;
  params: Record<string, string>;
  body: unknown;
  /** The surface's code for a request that breaks the contract. */
  invalid: string;
  errors: ErrorTable;
}

/**
 * Holds a request against the contract.
 *
 * @returns the documented answer, and whether the caller asked for it with the header `Prefer`
 * @throws Refusal where the request is wrong, or the contract has no such answer
 */
export async function consult(
  { oracle }: Context,
  { request }: Call,
  { operation, params, body, invalid, errors }: Consultation,
): Promise<{ documented: Documented; preferred: boolean }> {
  const preferences = readPreferences([request.headers.prefer ?? []].flat().join(','));
  if (preferences && 'fault' in preferences) throw new Refusal(invalid, preferences.fault);
  const own = preferences && findOwnError(preferences, errors);
  const { ask } = await oracle();
  const verdict = await ask({
    operation,
    params,
    headers: toPrismHeaders(request.headers),
    body,
    preferences: preferences ?? { dynamic: false },
  });
  if (own !== undefined && !('violations' in verdict)) throw new Refusal(own.code);
  if ('missing' in verdict) {
    const { status, message } = MISSING[verdict.missing];
    throw new Refusal(invalid, message, { status });
  }
  if ('violations' in verdict) {
    const sentences = verdict.violations.map((violation) => describeViolation(violation, body));
    throw new Refusal(invalid, sentences.slice(0, MAX_SENTENCES).join(' '));
  }
  return {
    documented: withRetryAfter(verdict.documented, errors),
    preferred: preferences !== undefined,
  };
}

/**
 * The error that a preferred status alone means. Prism would take the first example of the answer
 * that is documented for all other statuses, whatever status the code of that example has.
 */
function findOwnError({ code, exampleKey, dynamic }: Preferences, errors: ErrorTable) {
  if (code === undefined || exampleKey !== undefined || dynamic) return undefined;
  return errors.findStatus(code);
}

/** The document has one `Retry-After` for the examples of all errors; it belongs to some codes only. */
function withRetryAfter(documented: Documented, errors: ErrorTable): Documented {
  const { status, headers, body } = documented;
  if (status < 400 || !isObject(body)) return documented;
  const { code } = isObject(body.body) ? body.body : body;
  const others = Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'retry-after');
  return {
    ...documented,
    headers: { ...Object.fromEntries(others), ...retryAfter(errors.find(code)) },
  };
}
