import { FilePathError, toFilePath } from '@berth/storage';
import type { SessionFaults } from '../faults/fault-rules.ts';
import type { LoggedRequest, RequestLog } from '../session/request-log.ts';
import type { Clock, Session, Sessions } from '../session/session.ts';
import { FieldError, toMilliseconds } from '../util/values.ts';

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
  /** Resets the session: no files and calls, the mock's own faults, the machine's time. */
  reset(): void;
  /** Returns the latest calls, oldest first. */
  requests(options?: RequestsOptions): readonly LoggedRequest[];
  readonly faults: SessionFaults;
  readonly clock: SessionClock;
  readonly files: SessionFiles;
}

export interface RequestsOptions {
  /** Returns only calls that nothing in the mock handles, so that a test can assert that there were none. */
  readonly unmatched?: boolean | undefined;
  /** Maximum number of calls; the newest ones are returned. Default: all calls in the log. */
  readonly limit?: number | undefined;
}

/** The session's clock, which determines when links and grants expire. */
export interface SessionClock {
  state(): ClockState;
  /** Sets, advances, freezes or unfreezes the clock. */
  set(change: ClockChange): ClockState;
}

export interface ClockState {
  /** ISO 8601. */
  readonly now: string;
  readonly frozen: boolean;
}

export interface ClockChange {
  /** Time to set: a Date, an ISO 8601 string, or milliseconds since the epoch. */
  readonly now?: Date | string | number | undefined;
  /** How far to advance: milliseconds, or a duration such as `1h`. */
  readonly advance?: number | string | undefined;
  readonly frozen?: boolean | undefined;
}

export interface SessionFiles {
  list(): readonly SessionFile[];
  /** Returns the content of a file; undefined if it does not exist. */
  read(path: string): Uint8Array | undefined;
  /**
   * Stores a file, as an upload would. Returns false if it does not fit.
   *
   * @param contentType default `application/octet-stream`
   */
  put(path: string, content: Uint8Array | string, contentType?: string): boolean;
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

/** Creates the operations on a session. Tests in this process and the control API use the same operations. */
export function createMockSession(sessions: Sessions, id: string): MockSession {
  // A session that was dropped starts over.
  const session = () => sessions.get(id);
  return {
    id,
    reset: () => session().reset(),
    requests: (options = {}) => listRequests(session().requests, options),
    get faults() {
      return session().faults;
    },
    clock: {
      state: () => toState(session().clock),
      set(change) {
        const { clock } = session();
        changeClock(clock, change);
        return toState(clock);
      },
    },
    files: {
      list: () => listFiles(session()),
      read: (path) => session().files.get(toPath(path))?.content,
      put(path, content, contentType = 'application/octet-stream') {
        const draft = session().files.draft();
        const isKept = draft.append(Buffer.from(content as Uint8Array));
        if (isKept && draft.commit(toPath(path), contentType) !== undefined) return true;
        draft.discard();
        return false;
      },
    },
  };
}

/** @throws FieldError for an invalid option */
function listRequests(
  log: RequestLog,
  { unmatched = false, limit }: RequestsOptions,
): readonly LoggedRequest[] {
  if (limit !== undefined && !(Number.isInteger(limit) && limit >= 1)) {
    throw new FieldError('limit', 'must be a positive integer.');
  }
  const all = log.list();
  const some = unmatched ? all.filter(({ matched }) => !matched) : all;
  return limit === undefined ? some : some.slice(-limit);
}

function listFiles({ files }: Session): SessionFile[] {
  return Array.from(files.list(), ([path, { size, contentType, etag, modified }]) => ({
    path,
    size,
    contentType,
    etag,
    modified: modified.toISOString(),
  }));
}

function toPath(path: string): string {
  try {
    return toFilePath(path);
  } catch (error) {
    throw error instanceof FilePathError ? new FieldError('path', error.reason) : error;
  }
}

/** The range of ECMAScript dates. */
const LAST = 8.64e15;

/** @throws FieldError that names the field and states its requirements */
function changeClock(clock: Clock, { now, advance, frozen }: ClockChange): void {
  if (now === undefined && advance === undefined && frozen === undefined) {
    throw new FieldError('The body', 'must contain now, advance or frozen.');
  }
  if (frozen !== undefined && typeof frozen !== 'boolean') {
    throw new FieldError('frozen', 'must be true or false.');
  }
  const from = now === undefined ? clock.now() : toTime(now);
  const by = advance === undefined ? 0 : toMilliseconds(advance);
  if (by === undefined || from + by > LAST) {
    throw new FieldError(
      'advance',
      'must be milliseconds, or a duration such as 250ms, 5s, 2m, 1h or 1d.',
    );
  }
  if (now === undefined && frozen === undefined) clock.advance(Math.round(by));
  else clock.set(Math.round(from + by), { frozen: frozen ?? clock.isFrozen });
}

/** Returns milliseconds since the epoch. */
function toTime(value: unknown): number {
  const isText = typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value);
  const time = isText || value instanceof Date ? new Date(value).getTime() : value;
  if (typeof time === 'number' && time >= 0 && time <= LAST) return time;
  throw new FieldError(
    'now',
    'must be a time: ISO 8601 (2030-01-31T12:00:00Z) or milliseconds since the epoch.',
  );
}

function toState(clock: Clock): ClockState {
  return { now: new Date(clock.now()).toISOString(), frozen: clock.isFrozen };
}
