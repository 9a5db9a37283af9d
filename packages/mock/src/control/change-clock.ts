import type { Clock } from '../util/clock.ts';
import { FieldError, toMilliseconds } from '../util/values.ts';

export interface ClockChange {
  /** Time to set: a Date, an ISO 8601 string, or milliseconds since the epoch. */
  readonly now?: Date | string | number;
  /** How far to advance: milliseconds, or a duration such as `1h`. */
  readonly advance?: number | string;
  readonly frozen?: boolean;
}

/** The clock, as returned by the control API. */
export interface ClockState {
  /** ISO 8601. */
  readonly now: string;
  /** How many milliseconds it is ahead of the machine's clock. */
  readonly offset: number;
  readonly frozen: boolean;
}

/** The range of ECMAScript dates. */
const LAST = 8.64e15;

/**
 * Sets, advances, freezes or unfreezes a session's clock.
 *
 * @throws FieldError that names the field and states its requirements
 */
export function changeClock(clock: Clock, { now, advance, frozen }: ClockChange): void {
  if (now === undefined && advance === undefined && frozen === undefined) {
    throw new FieldError('The body', 'must contain now, advance or frozen.');
  }
  if (frozen !== undefined && typeof frozen !== 'boolean') {
    throw new FieldError('frozen', 'must be true or false.');
  }
  const from = now === undefined ? clock.now() : toTime(now, 'now');
  const by = advance === undefined ? 0 : toMilliseconds(advance);
  if (by === undefined || from + by > LAST) {
    throw new FieldError(
      'advance',
      'must be milliseconds, or a duration such as 250ms, 5s, 2m, 1h or 1d.',
    );
  }
  if (now === undefined && frozen === undefined) clock.advance(Math.round(by));
  else clock.set(Math.round(from + by), { frozen: frozen ?? clock.state.frozen });
}

/**
 * Parses a time, and returns it in milliseconds since the epoch.
 *
 * @throws FieldError if the value is not a time
 */
export function toTime(value: unknown, field: string): number {
  const text = typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value);
  const time = text || value instanceof Date ? new Date(value).getTime() : value;
  if (typeof time === 'number' && time >= 0 && time <= LAST) return time;
  throw new FieldError(
    field,
    'must be a time: ISO 8601 (2030-01-31T12:00:00Z) or milliseconds since the epoch.',
  );
}

export function toClockState(clock: Clock): ClockState {
  const { offset, frozen } = clock.state;
  return { now: new Date(clock.now()).toISOString(), offset, frozen };
}
