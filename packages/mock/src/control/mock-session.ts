import type { FaultRule } from '../faults/fault-rules.ts';
import type { LoggedRequest } from '../session/request-log.ts';
import type { ClockState } from './change-clock.ts';
import type { ServiceStateJson, SessionSnapshot } from './snapshot.ts';

/** Parts of a session that can be reset alone. */
export const SESSION_PARTS = ['files', 'faults', 'clock', 'requests', 'services'] as const;
export type SessionPart = (typeof SESSION_PARTS)[number];

/**
 * A session of a mock, for tests in the same process. It does what the control API does, and throws a
 * TypeError that names the field for a wrong value.
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
  /** Back to how the session began: no files, the faults of the command line, the machine's time. */
  reset(options?: { readonly only?: readonly SessionPart[] | undefined }): void;
  /** Files with their content, faults, clock and states of services, as JSON. */
  snapshot(): SessionSnapshot;
  /** Makes the session what it was; the log of calls stays. */
  restore(snapshot: SessionSnapshot): void;
  /** The last calls, the oldest first. */
  requests(options?: RequestsOptions): readonly LoggedRequest[];
  readonly faults: SessionFaults;
  readonly clock: SessionClock;
  readonly files: SessionFiles;
  readonly services: SessionServices;
}

export interface RequestsOptions {
  /** Only calls that nothing of the mock answers: a test can hold that there were none. */
  readonly unmatched?: boolean | undefined;
  /** So many of the newest. Default: all that the log keeps. */
  readonly limit?: number | undefined;
}

export interface SessionFaults {
  list(): readonly FaultRule[];
  /**
   * Adds a rule, or replaces the one of that name.
   *
   * @param rule an object, or the text that `--fault` takes: `batchDelete:code=SYS_ERR,times=2`
   */
  put(name: string, rule: Omit<FaultRule, 'name'> | string): FaultRule;
  /** Whether there was one of that name. */
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
  /** Lets the time stand still. */
  freeze(): void;
  /** Back to the time of the machine. */
  reset(): void;
}

export interface SessionFiles {
  list(): readonly SessionFile[];
  /** The content of a file; undefined where there is none. */
  read(path: string): Uint8Array | undefined;
  /** Whether there was one. */
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
  /** The services that are defined, and those in a state that was set. */
  list(): Readonly<Record<string, SessionService>>;
  /**
   * Lets every call of a service end with a code of the gateway, or with `READY` none, whatever its file says.
   *
   * @param options.for milliseconds or a text such as `5s`, by the session's clock. Default: for good
   */
  setState(name: string, code: string, options?: { readonly for?: number | string }): void;
  clearState(name: string): void;
}

export interface SessionService {
  /** Such as `GET /orders/{id}`; none where the contract's example answers. */
  readonly routes: readonly string[];
  /** The state that was set. */
  readonly state?: ServiceStateJson;
}
