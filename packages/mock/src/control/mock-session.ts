import type { FaultRule } from '../faults/fault-rules.ts';
import type { LoggedRequest } from '../session/request-log.ts';
import type { ClockState } from './change-clock.ts';
import type { ServiceStateJson, SessionSnapshot } from './snapshot.ts';

/** Parts of a session that can be reset separately. */
export const SESSION_PARTS = ['files', 'faults', 'clock', 'requests', 'services'] as const;
export type SessionPart = (typeof SESSION_PARTS)[number];

/**
 * A session of a mock, for tests in the same process. It offers what the control API does, and throws a
 * TypeError that names the field if a value is invalid.
 *
 * @example
 * await using mock = await createMock();
 * mock.session().faults.put('slow', 'latency=200,times=1');
 * // … calls …
 * expect(mock.session().requests({ unmatched: true })).toEqual([]);
 */
export interface MockSession {
  /** Empty for the default session. */
  readonly id: string;
  /** Resets the session: no files, the faults of the command line, the machine's time. */
  reset(options?: { readonly only?: readonly SessionPart[] | undefined }): void;
  /** Returns files with their content, faults, clock and states of services, as JSON. */
  snapshot(): SessionSnapshot;
  /** Restores a snapshot; the log of calls stays. */
  restore(snapshot: SessionSnapshot): void;
  /** Returns the last calls, oldest first. */
  requests(options?: RequestsOptions): readonly LoggedRequest[];
  readonly faults: SessionFaults;
  readonly clock: SessionClock;
  readonly files: SessionFiles;
  readonly services: SessionServices;
}

export interface RequestsOptions {
  /** Only calls that nothing in the mock handles, so that a test can assert that there were none. */
  readonly unmatched?: boolean | undefined;
  /** Maximum number of calls; the newest are returned. Default: the complete log. */
  readonly limit?: number | undefined;
}

export interface SessionFaults {
  list(): readonly FaultRule[];
  /**
   * Adds a rule, or replaces the one with that name.
   *
   * @param rule an object, or the text format of `--fault`: `batchDelete:code=SYS_ERR,times=2`
   */
  put(name: string, rule: Omit<FaultRule, 'name'> | string): FaultRule;
  /** Removes a rule. Returns whether it existed. */
  delete(name: string): boolean;
  clear(): void;
}

/** The time of a session: links and grants expire by it. */
export interface SessionClock {
  now(): Date;
  state(): ClockState;
  /** @param time a Date, ISO 8601, or milliseconds since the epoch */
  set(time: Date | string | number, options?: { readonly frozen?: boolean | undefined }): void;
  /** @param by milliseconds, or a text such as `1h` */
  advance(by: number | string): void;
  /** Freezes the clock. */
  freeze(): void;
  /** Returns to the machine's time. */
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
  /** Bytes. */
  readonly size: number;
  readonly contentType: string;
  readonly etag: string;
  /** ISO 8601. */
  readonly modified: string;
}

export interface SessionServices {
  /** Lists the defined services, and those with a state that was set. */
  list(): Readonly<Record<string, SessionService>>;
  /**
   * Makes every call of a service fail with a code of the gateway, or with `READY` succeed, whatever its
   * definition says.
   *
   * @param options.for milliseconds or a text such as `5s`, by the session's clock. Default: until it is
   * changed
   */
  setState(name: string, code: string, options?: { readonly for?: number | string }): void;
  clearState(name: string): void;
}

export interface SessionService {
  /** Such as `GET /orders/{id}`; empty if the service responds with the contract's example. */
  readonly routes: readonly string[];
  /** State that was set. */
  readonly state?: ServiceStateJson;
}
