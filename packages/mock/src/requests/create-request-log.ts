import type { LoggedRequest, RequestLog } from './request-log.ts';

/** Calls that a log keeps; the oldest are forgotten. */
const CAPACITY = 1_000;

/** @param capacity most calls that are kept */
export function createRequestLog(capacity = CAPACITY): RequestLog {
  // The order of a Map is that of insertion, and a value that is replaced stays where it was.
  const requests = new Map<string, LoggedRequest>();
  // One iterator goes on: a new one would pass over all that was deleted before it.
  let oldest = requests.keys();
  const listeners = new Set<(request: LoggedRequest) => void>();
  return {
    put(request) {
      requests.set(request.id, request);
      if (requests.size > capacity) requests.delete(oldest.next().value as string);
      for (const listener of listeners) listener(request);
    },
    list: () => [...requests.values()],
    get: (id) => requests.get(id),
    clear() {
      requests.clear();
      oldest = requests.keys();
    },
    listen(listener) {
      // The same function may listen twice.
      const own = (request: LoggedRequest) => listener(request);
      listeners.add(own);
      return () => {
        listeners.delete(own);
      };
    },
  };
}
