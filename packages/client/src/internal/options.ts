import type { RetryOptions, Timeouts } from '../call-options.ts';

/** Maximum delay of a timer, in milliseconds. Timers with a longer delay fire immediately. */
export const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * Merges time limits field by field. Later layers take precedence, and `undefined` is ignored.
 *
 * @throws TypeError or RangeError if a limit is invalid
 */
export function mergeTimeouts(...layers: (Timeouts | undefined)[]): Timeouts {
  return merge('timeouts', 'an object', { perTry: 0, total: 0 }, layers);
}

/**
 * Merges retry options field by field, as `mergeTimeouts` does. `false` in the last layer turns retries off.
 *
 * @throws TypeError or RangeError if an option is invalid
 */
export function mergeRetry(...layers: (RetryOptions | false | undefined)[]): RetryOptions | false {
  const given = layers.filter((layer) => layer !== undefined);
  if (given.at(-1) === false) return false;
  const least = { attempts: 1, baseDelay: 0, maxDelay: 0, maxRetryAfter: 0 };
  return merge('retry', 'an object or false', least, given);
}

/** @param least minimum value of each field */
function merge<Field extends string>(
  name: string,
  expected: string,
  least: Record<Field, number>,
  layers: readonly unknown[],
): { [_ in Field]?: number } {
  const merged: { [_ in Field]?: number } = {};
  for (const layer of layers) {
    if (layer === undefined || layer === false) continue;
    if (typeof layer !== 'object' || !layer) throw wrong(name, expected, layer);
    for (const [field, min] of Object.entries(least) as [Field, number][]) {
      const value = (layer as Partial<Record<Field, unknown>>)[field];
      if (value === undefined) continue;
      if (typeof value !== 'number' || !(value >= min)) {
        throw new RangeError(
          `${name}.${field} must be a number of at least ${min}, got ${String(value)}.`,
        );
      }
      merged[field] = value;
    }
  }
  return merged;
}

export function assertInteger(name: string, value: number | undefined, min: number): void {
  if (value === undefined || (Number.isSafeInteger(value) && value >= min)) return;
  throw new RangeError(`${name} must be an integer of at least ${min}, got ${String(value)}.`);
}

export function assertText(name: string, value: unknown): asserts value is string {
  if (typeof value !== 'string') throw wrong(name, 'a string', value);
}

export function assertList(name: string, value: unknown): asserts value is readonly unknown[] {
  if (!Array.isArray(value)) throw wrong(name, 'an array', value);
}

/**
 * Creates the error for an argument of the wrong type. Does not show the value, which may be a
 * credential.
 */
export function wrong(name: string, expected: string, value: unknown): TypeError {
  return new TypeError(
    `${name} must be ${expected}, got ${value === null ? 'null' : typeof value}.`,
  );
}

/** The progress of an upload or download, in bytes. */
export interface Progress {
  /** Number of bytes transferred so far. Starts at 0 again for each new attempt. */
  readonly loaded: number;
  /** File size in bytes; `undefined` if unknown. */
  readonly total: number | undefined;
}

/** Wraps a progress callback so that it is called only when the progress has changed. */
export function toReport(
  onProgress: ((progress: Progress) => void) | undefined,
  total: number | undefined,
): ((loaded: number) => void) | undefined {
  let last = -1;
  return (
    onProgress &&
    ((loaded) => {
      if (loaded !== last) onProgress({ loaded, total });
      last = loaded;
    })
  );
}

/**
 * Parses JSON. Returns `undefined` for invalid JSON rather than throwing, because the parser's error would
 * quote the response, including any secrets.
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
