import type { FaultRule } from '../faults/fault-rules.ts';
import type { LoggedRequest } from '../session/request-log.ts';
import type { ClockState } from './change-clock.ts';
import type { ServiceStateJson, SessionSnapshot } from './snapshot.ts';

/** Parts of a session that can be reset separately. */
export const SESSION_PARTS = ['files', 'faults', 'clock', 'requests', 'services'] as const;
export type SessionPart = (typeof SESSION_PARTS)[number];

/**
 * A session of a mock, for tests in the same process. It offers the same operations as the control API, and
 * throws a TypeError that names the field if a value is invalid.
 *
 * @example
 * await using mock = await createMock();
 * mock.session().faults.put('slow', 'latency=200,times=1');
 * // … calls …
 * expect(mock.session().requests({ unmatched: true })).toEqual([]);
 */
export interface MockSession {
  /** Session name; empty for the default session. */
  readonly id: string;
  /**
   * Resets the session to its initial state: no files, the faults from the command line, the machine's time.
   */
  reset(options?: { readonly only?: readonly SessionPart[] | undefined }): void;
  /** Returns the session's files with their content, faults, clock and service states, as JSON. */
  snapshot(): SessionSnapshot;
  /** Restores a snapshot. The call log is kept. */
  restore(snapshot: SessionSnapshot): void;
  /** Returns the latest calls, oldest first. */
  requests(options?: RequestsOptions): readonly LoggedRequest[];
  readonly faults: SessionFaults;
  readonly clock: SessionClock;
  readonly files: SessionFiles;
  readonly services: SessionServices;
}

export interface RequestsOptions {
  /** Returns only calls that nothing in the mock handles, so that a test can assert that there were none. */
  readonly unmatched?: boolean | undefined;
  /** Maximum number of calls; the newest ones are returned. Default: all calls in the log. */
  readonly limit?: number | undefined;
}

export interface SessionFaults {
  list(): readonly FaultRule[];
  /**
   * Adds a rule, or replaces the rule with this name.
   *
   * @param rule an object, or a string in the format of `--fault`: `batchDelete:code=SYS_ERR,times=2`
   */
  put(name: string, rule: Omit<FaultRule, 'name'> | string): FaultRule;
  /** Removes a rule. Returns whether it existed. */
  delete(name: string): boolean;
  clear(): void;
}

/** The session's clock, which determines when links and grants expire. */
export interface SessionClock {
  now(): Date;
  state(): ClockState;
  /** @param time a Date, an ISO 8601 string, or milliseconds since the epoch */
  set(time: Date | string | number, options?: { readonly frozen?: boolean | undefined }): void;
  /** @param by milliseconds, or a duration such as `1h` */
  advance(by: number | string): void;
  /** Freezes the clock. */
  freeze(): void;
  /** Resets the clock to the machine's time. */
  reset(): void;
}

export interface SessionFiles {
  list(): readonly SessionFile[];
  /** Returns the content of a file; undefined if it does not exist. */
  read(path: string): Uint8Array | undefined;
  /** Deletes a file. Returns whether it existed. */
  delete(path: string): boolean;
}

export interface SessionFile {
  readonly path: string;
  /** Size in bytes. */
  readonly size: number;
  readonly contentType: string;
  readonly etag: string;
  /** Time of the last change, in ISO 8601. */
  readonly modified: string;
}

export interface SessionServices {
  /** Lists the defined services, and those whose state has been set. */
  list(): Readonly<Record<string, SessionService>>;
  /**
   * Makes every call of a service fail with a gateway error code, or succeed with `READY`, regardless of its
   * definition.
   *
   * @param options.for milliseconds or a duration such as `5s`, by the session's clock. Default: until it is
   * changed
   */
  setState(name: string, code: string, options?: { readonly for?: number | string }): void;
  clearState(name: string): void;
}

export interface SessionService {
  /** For example `GET /orders/{id}`; empty if the service responds with the contract's example. */
  readonly routes: readonly string[];
  /** The state, if one has been set. */
  readonly state?: ServiceStateJson;
}
