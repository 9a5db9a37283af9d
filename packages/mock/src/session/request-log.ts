import type { Violation } from '@berth/server-stubs';

export interface LoggedMessage {
  /** Names in lower case; credentials are redacted. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** First bytes of the body; undefined if there is none. */
  readonly body: Uint8Array | undefined;
  readonly bodyBytes: number;
}

/** One call in its session's log. */
export interface LoggedRequest {
  /** The response's `X-Request-Id`. */
  readonly id: string;
  /** Milliseconds since the epoch, by the machine's clock. */
  readonly at: number;
  readonly surface: 'gateway' | 'storage' | 'upload' | 'link';
  /** The contract's `operationId`; undefined if no operation matched. */
  readonly operationId: string | undefined;
  /** Hosted service that a gateway call was for. */
  readonly service: string | undefined;
  /** Whether the mock handles such a call: with an operation and, for a defined service, a route. */
  readonly matched: boolean;
  readonly request: LoggedMessage & { readonly method: string; readonly target: string };
  /** Undefined until the response is complete. */
  readonly response: (LoggedMessage & { readonly status: number; readonly ms: number }) | undefined;
  /** How the request breaks the contract, with the location in the contract. */
  readonly violations: readonly Violation[];
  /** How the mock's own response breaks the contract. */
  readonly responseViolations: readonly Violation[];
  /** Names of the faults that were applied. */
  readonly faults: readonly string[];
}

/** The latest calls in a session. The oldest calls are dropped first. */
export interface RequestLog {
  /**
   * Adds a call, or replaces the call with the same ID, and notifies listeners.
   *
   * @param bytes size in memory
   */
  put(request: LoggedRequest, bytes?: number): void;
  /** Oldest first. */
  list(): readonly LoggedRequest[];
  get(id: string): LoggedRequest | undefined;
  clear(): void;
  /** Calls `listener` for each new or changed call. Returns a function that unsubscribes it. */
  listen(listener: (request: LoggedRequest) => void): () => void;
}

/** Maximum number of calls in a log; the oldest are dropped. */
const CAPACITY = 1_000;

/**
 * Creates an empty log for one session.
 *
 * @param room memory limit that is shared with other logs
 * @param capacity maximum number of calls
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
      // The same function may be added twice.
      const own = (request: LoggedRequest) => listener(request);
      listeners.add(own);
      return () => {
        listeners.delete(own);
      };
    },
  };
}

/** Maximum total size of all logs, in bytes; the oldest calls are dropped, whichever log they are in. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Memory limit shared by several logs. */
export interface LogRoom {
  /** Counts a call, or its new size, and drops the oldest calls until all fit. */
  keep(request: LoggedRequest, bytes: number, forget: () => void): void;
  /** Stops counting a call. */
  drop(request: LoggedRequest): void;
}

export function createLogRoom(maxBytes = MAX_BYTES): LogRoom {
  // A Map keeps insertion order, so the first entry is the oldest.
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
