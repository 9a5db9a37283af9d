import type { Context } from '../context.ts';
import type { Operation } from '../contract/operations.ts';
import type { Call } from '../http/call.ts';
import { Refusal } from '../refusal.ts';
import type { Documented } from './create-oracle.ts';
import { toPrismHeaders } from './prism-headers.ts';
import { readPreferences } from './read-preferences.ts';
import { describeViolation } from './violation.ts';

/** More sentences than these do not help. */
const MAX_SENTENCES = 3;

/** The statuses are Prism's. */
const MISSING = {
  example: {
    status: 404,
    message: 'The answer has no example of the name that the header Prefer gives.',
  },
  type: { status: 406, message: 'The answer has no content type that the header Accept takes.' },
};

export interface Consultation {
  operation: Operation;
  params: Record<string, string>;
  body: unknown;
  /** The surface's code for a request that breaks the contract. */
  invalid: string;
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
  { operation, params, body, invalid }: Consultation,
): Promise<{ documented: Documented; preferred: boolean }> {
  const preferences = readPreferences([request.headers.prefer ?? []].flat().join(','));
  if (preferences && 'fault' in preferences) throw new Refusal(invalid, preferences.fault);
  const { ask } = await oracle();
  const verdict = await ask({
    operation,
    params,
    headers: toPrismHeaders(request.headers),
    body,
    preferences: preferences ?? { dynamic: false },
  });
  if ('missing' in verdict) {
    const { status, message } = MISSING[verdict.missing];
    throw new Refusal(invalid, message, { status });
  }
  if ('violations' in verdict) {
    const sentences = verdict.violations.map((violation) => describeViolation(violation, body));
    throw new Refusal(invalid, sentences.slice(0, MAX_SENTENCES).join(' '));
  }
  return { documented: verdict.documented, preferred: preferences !== undefined };
}
