import type { RetryClass } from './fetch.ts';
import { TEMPORARY_STORAGE_CODES } from './generated/contract.gen.ts';

/**
 * Which calls may be sent again after an error status of the storage API, a link or an upload target. After a 401 or
 * 429, nothing was executed. Every other status is final.
 */
const RETRY_CLASSES: Readonly<Record<number, RetryClass>> = {
  401: 'unauthorized',
  429: 'any',
  500: 'idempotent',
  502: 'idempotent',
  503: 'idempotent',
  504: 'idempotent',
};

export function classify({ status }: Response): RetryClass {
  return RETRY_CLASSES[status] ?? 'never';
}

/** Returns whether a failure is temporary, by its status and by its code, which may come with the status 200. */
export function isTemporary(status: unknown, code?: string): boolean {
  const codes: readonly unknown[] = TEMPORARY_STORAGE_CODES;
  return codes.includes(code) || (status !== 401 && Number(status) in RETRY_CLASSES);
}
