import type { Call } from '@berth/server-stubs';
import type { Context } from '../context.ts';
import { gatewayErrors, storageErrors } from '../contract/defaults.ts';
import { INVALID, toRefusal } from '../refusals/to-refusal.ts';
import type { SurfaceName } from '../surface-name.ts';
import { DocumentedAnswer } from './documented-answer.ts';
import { toPrismHeaders } from './prism-headers.ts';
import { type Preferences, readPreferences } from './read-preferences.ts';
import { describeViolation } from './violation.ts';

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

export interface Question {
  readonly surface: Extract<SurfaceName, 'gateway' | 'storage'>;
  /** Path parameters, decoded once; a greedy one as it came. */
  readonly params: Record<string, string>;
  /** Flat, and valid. */
  readonly body: unknown;
}

/**
 * What the header `Prefer` asks of the mock; undefined where it asks nothing.
 *
 * @throws ContractError for a preference that is none
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
    throw toRefusal(surface, INVALID[surface], { message: preferences.fault });
  }
  return { seed, ...preferences };
}

/**
 * Asks Prism for the answer that the contract has for a call.
 *
 * @throws DocumentedAnswer always, but for a ContractError where the contract has no such answer
 */
export async function consult(
  context: Context,
  call: Call,
  { surface, params, body }: Question,
  preferences: Preferences = { dynamic: false },
): Promise<never> {
  const operation = context.operations.find(({ id }) => id === call.operationId);
  if (operation === undefined) throw new TypeError(`There is no operation ${call.operationId}.`);
  const invalid = INVALID[surface];
  const own = findOwnError(preferences, surface);
  const { ask } = await context.oracle();
  const headers = toPrismHeaders(call.request.headers);
  const verdict = await ask({ operation, params, headers, body, preferences: { ...preferences } });
  if ('violations' in verdict) {
    const sentences = verdict.violations.map((violation) => describeViolation(violation, body));
    throw toRefusal(surface, invalid, { message: sentences.join(' ') });
  }
  if (own !== undefined) throw toRefusal(surface, own.code);
  if ('missing' in verdict) throw toRefusal(surface, invalid, MISSING[verdict.missing]);
  throw new DocumentedAnswer(verdict.documented, surface, context.profile);
}

/**
 * The error that a preferred status alone means. Prism would take the first example of the answer
 * that is documented for all other statuses, whatever status the code of that example has.
 */
function findOwnError({ code, exampleKey, dynamic }: Preferences, surface: Question['surface']) {
  if (code === undefined || exampleKey !== undefined || dynamic) return undefined;
  return (surface === 'gateway' ? gatewayErrors : storageErrors).findStatus(code);
}
