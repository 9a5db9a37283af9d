import type { Violation } from '@berth/server-stubs';

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

export interface LoggedMessage {
  /** Names in lower case; values of credentials are left out. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** First bytes of the body; undefined where there is none. */
  readonly body: Uint8Array | undefined;
  readonly bodyBytes: number;
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
