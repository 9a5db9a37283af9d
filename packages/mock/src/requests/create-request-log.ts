import type { LoggedRequest, RequestLog } from './request-log.ts';

/** Calls that a log keeps; the oldest are forgotten. */
const CAPACITY = 1_000;

/** @param capacity most calls that are kept */
export function createRequestLog(capacity = CAPACITY): RequestLog {
  // A ring: a new call takes the place of the oldest, which nothing else holds on to.
  let ring: LoggedRequest[] = [];
  let next = 0;
  const list = () => [...ring.slice(next), ...ring.slice(0, next)];
  const listeners = new Set<(request: LoggedRequest) => void>();

  function tell(request: LoggedRequest): void {
    for (const listener of listeners) listener(request);
  }

  function add(request: LoggedRequest): void {
    ring[next] = request;
    next = (next + 1) % capacity;
    tell(request);
  }

  return {
    add,
    put(request) {
      const at = ring.findIndex(({ id }) => id === request.id);
      if (at < 0) {
        add(request);
      } else {
        ring[at] = request;
        tell(request);
      }
    },
    list,
    get: (id) => ring.find((request) => request.id === id),
    clear() {
      ring = [];
      next = 0;
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
