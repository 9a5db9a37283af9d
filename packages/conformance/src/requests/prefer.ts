import { findProvocation } from '../provocations.ts';
import type { Transaction } from '../transaction.ts';

/**
 * `Prefer: code=…` (RFC 7240) for the statuses that depend on what is deployed. A mock obeys it; any
 * other server may ignore it.
 */
export function toPrefer(transaction: Transaction): Record<string, string> {
  const provocation = findProvocation(transaction);
  return provocation?.kind === 'none' ? { Prefer: `code=${provocation.copyStatus}` } : {};
}
