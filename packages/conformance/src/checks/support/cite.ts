import type { CheckContext } from '../../context/check-context.ts';
import type { Evidence } from '../../http/exchange.ts';
import { cite, show } from '../../validation/cite.ts';

export { cite, show };

/** Expects an optional field to be a string if present. */
export function expectOptionalText(
  t: CheckContext,
  what: string,
  value: unknown,
  evidence?: Evidence,
): void {
  const isText = value === undefined || typeof value === 'string';
  t.expect(isText, `${what} must be a string, not ${show(value)}`, evidence);
}
