import type { LoggedRequest, RequestLog } from './request-log.ts';

/** Calls that a log keeps; the oldest are forgotten. */
const CAPACITY = 1_000;

/** @param capacity most calls that are kept */
export function createRequestLog(capacity = CAPACITY): RequestLog {
  // The order of a Map is that of insertion, and a value that is replaced stays where it was. A Map that
  // is full is followed by a new one and soon forgotten whole: one that lives on, and loses its oldest
  // entries one by one, lets them outlive many collections of garbage, which take twice the time then.
  let older = new Map<string, LoggedRequest>();
  let newer = new Map<string, LoggedRequest>();
  const list = () => [...older.values(), ...newer.values()].slice(-capacity);
  const listeners = new Set<(request: LoggedRequest) => void>();
  return {
    put(request) {
      if (older.has(request.id)) older.set(request.id, request);
      else newer.set(request.id, request);
      if (newer.size >= capacity) {
        older = newer;
        newer = new Map();
      }
      for (const listener of listeners) listener(request);
    },
    list,
    get: (id) => list().find((request) => request.id === id),
    clear() {
      older = new Map();
      newer = new Map();
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
