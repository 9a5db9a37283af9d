import { FieldError } from '../field-error.ts';
import type { LoggedRequest, RequestLog } from '../requests/request-log.ts';
import type { RequestsOptions } from './mock-session.ts';

/** @throws FieldError for a wrong option */
export function listRequests(
  log: RequestLog,
  { unmatched = false, limit }: RequestsOptions,
): readonly LoggedRequest[] {
  if (limit !== undefined && !(Number.isInteger(limit) && limit >= 1)) {
    throw new FieldError('limit', 'must be a whole number of at least 1.');
  }
  const all = log.list();
  const some = unmatched ? all.filter(({ matched }) => !matched) : all;
  return limit === undefined ? some : some.slice(-limit);
}
