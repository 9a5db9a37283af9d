import type { Violation } from '@berth/server-stubs';

export interface LoggedMessage {
  /** Names in lower case; values of credentials are left out. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** First bytes of the body; undefined where there is none. */
  readonly body: Uint8Array | undefined;
  readonly bodyBytes: number;
}

/** One call, as the log of its session keeps it. */
export interface LoggedRequest {
  /** The `X-Request-Id` of the answer. */
  readonly id: string;
  /** Milliseconds since the epoch, of the machine's clock. */
  readonly at: number;
  readonly surface: 'gateway' | 'storage' | 'upload' | 'link';
  /** `operationId` of the contract; undefined where no operation matched. */
  readonly operationId: string | undefined;
  /** Hosted service of a gateway call. */
  readonly service: string | undefined;
  /** Whether something of the mock answers such a call: an operation, and in a defined service a route. */
  readonly matched: boolean;
  readonly request: LoggedMessage & { readonly method: string; readonly target: string };
  /** Undefined while the answer is on its way. */
  readonly answer: (LoggedMessage & { readonly status: number; readonly ms: number }) | undefined;
  /** What of the request breaks the contract, and where the contract says so. */
  readonly violations: readonly Violation[];
  /** What of the mock's own answer breaks the contract. */
  readonly answerViolations: readonly Violation[];
  /** Names of the faults that were done to it. */
  readonly faults: readonly string[];
}

/** The last calls of a session, the oldest forgotten first. */
export interface RequestLog {
  /**
   * Adds a call, or replaces the one of the same id, and tells whoever listens.
   *
   * @param bytes what it takes in memory
   */
  put(request: LoggedRequest, bytes?: number): void;
  /** Oldest first. */
  list(): readonly LoggedRequest[];
  get(id: string): LoggedRequest | undefined;
  clear(): void;
  /** Calls `listener` for each call that comes or changes; gives a function that ends that. */
  listen(listener: (request: LoggedRequest) => void): () => void;
}

/** Calls that a log keeps; the oldest are forgotten. */
const CAPACITY = 1_000;

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
