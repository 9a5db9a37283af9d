import { HttpResponse } from 'msw';
import { STORAGE_ERRORS } from '../../generated/msw.gen.ts';
import { type ErrorArguments, toError } from '../error-options.ts';

/**
 * An error of a whole storage call in its envelope (D20, D26). One file of a list fails by the `code`
 * of its entry instead.
 *
 * @example
 * server.use(berth.storage.batchDelete(() => storageError('SERVICE_UNAVAILABLE')));
 */
export function storageError(...[code, options]: ErrorArguments<typeof STORAGE_ERRORS>): Response {
  const { status, message, requestId, headers } = toError(STORAGE_ERRORS, code, options);
  const body = { requestId, code, message };
  return HttpResponse.json({ statusCode: status, body }, { status, headers });
}
