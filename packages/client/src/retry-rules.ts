import { GATEWAY_RETRIES, TEMPORARY_STORAGE_CODES } from './generated/contract.gen.ts';

/**
 * Which calls may be retried after a failure:
 * - `any`: every call, because the server did not execute it
 * - `idempotent`: only an idempotent call
 * - `never`: none
 */
export type Retry = 'any' | 'idempotent' | 'never';

const TEMPORARY_STATUSES = [429, 502, 503, 504];

/** A service's 429 may follow execution, so it is only `idempotent`; its 500 is not retried. */
export function retryOfGateway(status: number, code?: string): Retry {
  const ofCodes = new Map<string | undefined, Retry>(Object.entries(GATEWAY_RETRIES));
  const ofStatus = TEMPORARY_STATUSES.includes(status) ? 'idempotent' : 'never';
  return ofCodes.get(code) ?? ofStatus;
}

/** For the storage API, upload targets and links. A temporary code may come with the status 200. */
export function retryOfStorage(status: number, code?: string): Retry {
  if (status === 429) return 'any';
  const codes: readonly unknown[] = TEMPORARY_STORAGE_CODES;
  const isTemporary = status === 500 || TEMPORARY_STATUSES.includes(status);
  return isTemporary || codes.includes(code) ? 'idempotent' : 'never';
}
