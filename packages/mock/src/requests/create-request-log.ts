import type { LoggedRequest, RequestLog } from './request-log.ts';

/** Calls that a log keeps; the oldest are forgotten. */
const CAPACITY = 1_000;
/** Bytes that the calls of all logs take together; the oldest are forgotten, whichever log they are in. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Bytes that several logs share. */
export interface LogRoom {
  /** Counts a call, or counts it again, and forgets the oldest ones until all fit. */
  keep(request: LoggedRequest, bytes: number, forget: () => void): void;
  /** Counts a call no longer. */
  drop(request: LoggedRequest): void;
}

export function createLogRoom(maxBytes = MAX_BYTES): LogRoom {
  // The order of a Map is that of insertion: the first is the oldest.
  const calls = new Map<LoggedRequest, { readonly bytes: number; readonly forget: () => void }>();
  let used = 0;

  function drop(request: LoggedRequest): void {
    used -= calls.get(request)?.bytes ?? 0;
    calls.delete(request);
  }

  return {
    drop,
    keep(request, bytes, forget) {
      used += bytes - (calls.get(request)?.bytes ?? 0);
      calls.set(request, { bytes, forget });
      for (const [oldest, call] of calls) {
        if (used <= maxBytes) return;
        drop(oldest);
        call.forget();
      }
    },
  };
}

/**
 * @param room what the log shares with others
 * @param capacity most calls that are kept
 */
export function createRequestLog(room = createLogRoom(), capacity = CAPACITY): RequestLog {
  const calls = new Map<string, LoggedRequest>();
  const listeners = new Set<(request: LoggedRequest) => void>();

  function put(request: LoggedRequest, bytes = 0): void {
    const { id } = request;
    const known = calls.get(id);
    if (known !== undefined && known !== request) room.drop(known);
    calls.set(id, request);
    room.keep(request, bytes, () => calls.delete(id));
    const [oldest] = calls.size > capacity ? calls : [];
    if (oldest !== undefined) {
      calls.delete(oldest[0]);
      room.drop(oldest[1]);
    }
    for (const listener of listeners) listener(request);
  }

  return {
    put,
    list: () => [...calls.values()],
    get: (id) => calls.get(id),
    clear() {
      for (const request of calls.values()) room.drop(request);
      calls.clear();
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
