import { FilePathError, toFilePath } from '@berth/server-stubs/engine';
import { CODES } from '../faults/fault.ts';
import type { FaultsState } from '../faults/fault-rules.ts';
import { toFaultRule } from '../faults/parse-fault.ts';
import type { Draft, FileStore } from '../files/file-store.ts';
import { READY, type ServiceState } from '../session/service-states.ts';
import type { Session } from '../session/session.ts';
import { FieldError, isObject, suggest } from '../util/values.ts';
import { type ClockState, toClockState, toTime } from './change-clock.ts';
import { Problem } from './problem.ts';

interface FileSnapshot {
  readonly path: string;
  readonly contentType: string;
  /** ISO 8601. */
  readonly modified: string;
  readonly base64: string;
}

export interface ServiceStateJson {
  readonly code: string;
  /** ISO 8601, by the session's clock. If absent, the state lasts until it is changed. */
  readonly until?: string;
}

/**
 * The state of a session as JSON. It contains everything that calls have changed, except for the call log.
 */
export interface SessionSnapshot {
  readonly version: 1;
  readonly clock: ClockState;
  /** In the order in which they were written. */
  readonly files: readonly FileSnapshot[];
  readonly faults: FaultsState;
  readonly services: Readonly<Record<string, ServiceStateJson>>;
}

/** Maximum total size of the files in a snapshot. A JavaScript string is limited to about 2^29 characters. */
export const MAX_SNAPSHOT_BYTES = 350 * 1024 * 1024;

/**
 * Returns a snapshot of a session.
 *
 * @throws Problem 409 if the files are too large for one string
 */
export function takeSnapshot({ clock, files, faults, services }: Session): SessionSnapshot {
  const stored = [...files.list()];
  const size = stored.reduce((sum, [, file]) => sum + file.size, 0);
  if (size > MAX_SNAPSHOT_BYTES) {
    throw new Problem(
      409,
      `The files have ${size} bytes in total, but a snapshot is limited to ${MAX_SNAPSHOT_BYTES}: delete some of them, or keep the --dir folder instead.`,
    );
  }
  return {
    version: 1,
    clock: toClockState(clock),
    files: stored.map(([path, { contentType, modified, content }]) => ({
      path,
      contentType,
      modified: modified.toISOString(),
      base64: content.bytes().toString('base64'),
    })),
    faults: faults.state(),
    services: Object.fromEntries(
      Object.entries(services.list()).map(([name, state]) => [name, toStateJson(state)]),
    ),
  };
}

export function toStateJson({ code, until }: ServiceState): ServiceStateJson {
  return { code, ...(until !== undefined && { until: new Date(until).toISOString() }) };
}

/**
 * Restores a session from a snapshot. The call log is kept.
 *
 * @param snapshot a result of `takeSnapshot`, not yet validated
 * @throws FieldError for an invalid snapshot, Problem 413 if the files do not fit; nothing is changed in
 * either case
 */
export function restoreSnapshot(session: Session, snapshot: unknown): void {
  const { clock, files, faults, services } = readSnapshot(snapshot);
  replaceFiles(session.files, files);
  session.clock.reset();
  if (clock.frozen) session.clock.set(clock.now, { frozen: true });
  else session.clock.advance(clock.offset);
  session.faults.restore(faults);
  session.services.clear();
  for (const [name, state] of services) session.services.set(name, state);
}

/** @throws FieldError that names the field and states its requirements */
function readSnapshot(value: unknown) {
  const { version, clock, files, faults, services } = toObject(value, 'The body');
  if (version !== 1)
    throw new FieldError(
      'version',
      'must be 1: take the snapshot again with this version of the mock.',
    );
  return {
    clock: readClock(clock),
    files: toArray(files, 'files').map((file, index) => readFile(file, `files[${index}]`)),
    faults: readFaults(faults),
    services: readServices(services),
  };
}

function readClock(value: unknown) {
  const { now, offset, frozen } = toObject(value, 'clock');
  if (typeof frozen !== 'boolean') throw new FieldError('clock.frozen', 'must be true or false.');
  return { now: toTime(now, 'clock.now'), offset: toNumber(offset, 'clock.offset'), frozen };
}

function toObject(value: unknown, field: string): Record<string, unknown> {
  if (isObject(value)) return value;
  throw new FieldError(field, 'must be an object.');
}

function toNumber(value: unknown, field: string): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new FieldError(field, 'must be a number.');
}

const BASE64 = /^[A-Za-z\d+/]*={0,2}$/;

function readFile(value: unknown, field: string) {
  const { path, contentType, modified, base64 } = toObject(value, field);
  const key = toKey(path, `${field}.path`);
  if (typeof contentType !== 'string' || !/^[\x20-\x7e]+$/.test(contentType)) {
    throw new FieldError(`${field}.contentType`, 'must be a media type.');
  }
  if (typeof base64 !== 'string' || base64.length % 4 !== 0 || !BASE64.test(base64)) {
    throw new FieldError(`${field}.base64`, 'must be Base64.');
  }
  return {
    key,
    contentType,
    modified: new Date(toTime(modified, `${field}.modified`)),
    bytes: Buffer.from(base64, 'base64'),
  };
}

function toKey(path: unknown, field: string): string {
  if (typeof path !== 'string') throw new FieldError(field, 'must be a string.');
  try {
    return toFilePath(path);
  } catch (error) {
    throw error instanceof FilePathError ? new FieldError(field, error.reason) : error;
  }
}

function readFaults(value: unknown): FaultsState {
  const { rules, random, rates } = toObject(value, 'faults');
  return {
    rules: toArray(rules, 'faults.rules').map((rule, index) => {
      const field = `faults.rules[${index}]`;
      return toFaultRule(String(toObject(rule, field).name ?? ''), rule, `${field}.`);
    }),
    random: toNumber(random, 'faults.random'),
    rates: Object.fromEntries(
      Object.entries(toObject(rates, 'faults.rates')).map(([name, rate]) => {
        const field = `faults.rates.${name}`;
        const { calls, at } = toObject(rate, field);
        return [
          name,
          { calls: toNumber(calls, `${field}.calls`), at: toNumber(at, `${field}.at`) },
        ];
      }),
    ),
  };
}

function toArray(value: unknown, field: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new FieldError(field, 'must be an array.');
}

function readServices(value: unknown): Map<string, ServiceState> {
  return new Map(
    Object.entries(toObject(value, 'services')).map(([name, state]) => {
      const field = `services.${name}`;
      const { code, until } = toObject(state, field);
      assertStateCode(code, `${field}.code`);
      const end = until === undefined ? {} : { until: toTime(until, `${field}.until`) };
      return [name, { code, ...end }];
    }),
  );
}

/** More than the overhead of a file, besides its bytes and its path. */
const ENTRY_BYTES = 1_024;

/** Writes the new files before it deletes the old ones, so that a failure changes nothing. */
function replaceFiles(store: FileStore, files: readonly ReturnType<typeof readFile>[]): void {
  const drafts: Draft[] = [];
  const draft = (bytes: Buffer): Draft => {
    const next = store.draft();
    drafts.push(next);
    if (next.append(bytes)) return next;
    for (const one of drafts) one.discard();
    throw new Problem(
      413,
      'There is not enough space to keep the new files next to the existing ones: reset the files first, or raise maxStoreBytes.',
    );
  };
  const entries = files.reduce((sum, { key }) => sum + ENTRY_BYTES + Buffer.byteLength(key), 0);
  const reserve = draft(Buffer.alloc(entries));
  const written = files.map((file) => ({ file, draft: draft(file.bytes) }));
  store.clear();
  reserve.discard();
  for (const { file, draft } of written) draft.commit(file.key, file.contentType, file.modified);
}

const STATES = [READY, ...CODES.gateway];

/**
 * Checks that a value is a code for a service's state.
 *
 * @throws FieldError unless the code is `READY` or in the gateway's error table
 */
export function assertStateCode(code: unknown, field: string): asserts code is string {
  if (typeof code === 'string' && STATES.includes(code)) return;
  throw new FieldError(
    field,
    `must be READY or a gateway error code, such as SERVICE_NOT_READY.${suggest(code, STATES)}`,
  );
}
