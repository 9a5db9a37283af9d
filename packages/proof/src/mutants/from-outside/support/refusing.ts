import type { Hooks, MutatedRequest } from '../../../proxy/messages.ts';
import { toStorageRefusal } from '../../support/to-storage-refusal.ts';

/** Refuses storage calls. */
export function refusing(isRefused: (request: MutatedRequest) => unknown, status = 400): Hooks {
  return {
    request: (request) =>
      request.operation && isRefused(request)
        ? toStorageRefusal(status, 'INVALID_PARAM')
        : undefined,
  };
}
