import type { ErrorRow } from './defaults.ts';

/** The header `Retry-After` of an error, in seconds, where its row has one (RFC 9110, section 10.2.3). */
export function retryAfter(row: ErrorRow | undefined): Record<string, string> {
  return row?.retryAfter === undefined ? {} : { 'retry-after': String(row.retryAfter) };
}
