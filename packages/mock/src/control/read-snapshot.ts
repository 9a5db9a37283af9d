import type { FaultsState } from '../faults/fault-rules.ts';
import { toFaultRule } from '../faults/to-fault-rule.ts';
import { FieldError } from '../field-error.ts';
import { pathFault, toKey } from '../files/file-path.ts';
import { isObject } from '../is-object.ts';
import type { ServiceState } from '../services/service-states.ts';
import { toTime } from './change-clock.ts';
import { assertStateCode } from './service-states-json.ts';

/** A snapshot that was judged. */
export interface ReadSnapshot {
  readonly clock: { readonly now: number; readonly offset: number; readonly frozen: boolean };
  readonly files: readonly ReadFile[];
  readonly faults: FaultsState;
  readonly services: ReadonlyMap<string, ServiceState>;
}

export interface ReadFile {
  readonly key: string;
  readonly contentType: string;
  readonly modified: Date;
  readonly bytes: Buffer;
}

const BASE64 = /^[A-Za-z\d+/]*={0,2}$/;

/** @throws FieldError that names the field and what it must be */
export function readSnapshot(value: unknown): ReadSnapshot {
  const { version, clock, files, faults, services } = toObject(value, 'The body');
  if (version !== 1)
    throw new FieldError('version', 'must be 1: take the snapshot with this mock.');
  return {
    clock: readClock(clock),
    files: toArray(files, 'files').map((file, index) => readFile(file, `files[${index}]`)),
    faults: readFaults(faults),
    services: readServices(services),
  };
}

function readClock(value: unknown): ReadSnapshot['clock'] {
  const { now, offset, frozen } = toObject(value, 'clock');
  if (typeof frozen !== 'boolean') throw new FieldError('clock.frozen', 'must be true or false.');
  return { now: toTime(now, 'clock.now'), offset: toNumber(offset, 'clock.offset'), frozen };
}

function readFile(value: unknown, field: string): ReadFile {
  const { path, contentType, modified, base64 } = toObject(value, field);
  const fault = typeof path === 'string' ? pathFault(path) : 'must be a text.';
  if (fault !== undefined) throw new FieldError(`${field}.path`, fault);
  if (typeof contentType !== 'string' || !/^[\x20-\x7e]+$/.test(contentType)) {
    throw new FieldError(`${field}.contentType`, 'must be a media type.');
  }
  if (typeof base64 !== 'string' || base64.length % 4 !== 0 || !BASE64.test(base64)) {
    throw new FieldError(`${field}.base64`, 'must be Base64.');
  }
  return {
    key: toKey(path as string),
    contentType,
    modified: new Date(toTime(modified, `${field}.modified`)),
    bytes: Buffer.from(base64, 'base64'),
  };
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

function toObject(value: unknown, field: string): Record<string, unknown> {
  if (isObject(value)) return value;
  throw new FieldError(field, 'must be an object, as a snapshot has it.');
}

function toArray(value: unknown, field: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new FieldError(field, 'must be a list, as a snapshot has it.');
}

function toNumber(value: unknown, field: string): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new FieldError(field, 'must be a number, as a snapshot has it.');
}
