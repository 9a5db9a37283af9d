import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import { type Refusal, refusalFor, type SurfaceName, toRefusal } from '../contract/surface.ts';
import { isObject, toMilliseconds } from '../util/values.ts';

/**
 * Delay before a response in milliseconds: a number, a range (uniform distribution), or a normal
 * distribution.
 */
export type Latency =
  | number
  | { readonly min: number; readonly max: number }
  | { readonly mean: number; readonly deviation: number };

/** The faults to inject into a call. Every field that is set takes effect. */
export interface Fault {
  /** Delay before the response begins. Several faults add up. */
  readonly latency?: Latency;
  /** A code from the surface's error table, sent as the contract specifies. */
  readonly code?: string;
  /** Resets the connection, either before the response or after this many bytes of its body. */
  readonly reset?: true | { readonly after: number };
  /** Closes the connection after this many bytes of the body. Shorter bodies are sent completely. */
  readonly truncate?: number;
  /** Limits the body to this many bytes per second. */
  readonly bytesPerSecond?: number;
  /** Limits the calls per second; further calls get the contract's rate limit error. */
  readonly callsPerSecond?: number;
  /** Responds as if the token, grant or link had expired. */
  readonly expiredToken?: true;
}

export interface BodyShape {
  /** Number of bytes after which the connection is closed. Default `Infinity`. */
  limit: number;
  byReset: boolean;
  /** Default `Infinity`. */
  bytesPerSecond: number;
}

export interface Effects {
  /** Milliseconds before the response begins. */
  latency: number;
  reset: boolean;
  /** Error that the call ends with, from the first fault that has one. */
  refusal: Refusal | undefined;
  readonly body: BodyShape;
}

interface FaultKind<Value> {
  /** Requirement for the value: the end of a sentence that begins with the field name. */
  readonly mustBe: string;
  readonly isValid: (value: unknown) => value is Value;
  /**
   * Parses the text after `=` in the compact form. Returns the text itself if the kind has no such form, so
   * that `isValid` rejects it. Default: parses a number.
   */
  readonly parse?: (text: string) => unknown;
  /** Default: does nothing; `createFaultRules` handles latencies and rate limits. */
  readonly apply?: (value: Value, effects: Effects, surface: SurfaceName) => void;
}

/** Maximum delay: one hour. */
const MAX_LATENCY_MS = 3_600_000;

/** All kinds of faults. A new kind needs a member of {@link Fault}, a row here, and a row in the README. */
export const FAULT_KINDS: {
  readonly [Field in keyof Fault]-?: FaultKind<NonNullable<Fault[Field]>>;
} = {
  latency: {
    mustBe:
      'must be a number of milliseconds such as 200 (at most one hour), a range ({ "min": 100, "max": 300 }; 100..300), or a normal distribution ({ "mean": 200, "deviation": 50 }; 200~50).',
    isValid: isLatency,
    parse(text) {
      const [from = '', to, ...more] = text.split(/\.\.|~/);
      const [first, second] = [toMilliseconds(from), toMilliseconds(to)];
      if (to === undefined) return first ?? text;
      if (first === undefined || second === undefined || more.length > 0) return text;
      return text.includes('~') ? { mean: first, deviation: second } : { min: first, max: second };
    },
  },
  code: {
    mustBe: "must be a code from one of the contract's error tables, such as SERVICE_TIMEOUT.",
    isValid: (value): value is string => ALL_CODES.includes(value as string),
    apply(code, effects, surface) {
      effects.refusal ??= toRefusal(surface, code);
    },
  },
  reset: {
    mustBe: 'must be true, or { "after": <bytes of the body> } (reset=100).',
    isValid: (value): value is true | { after: number } =>
      value === true ||
      (isObject(value) && Object.keys(value).length === 1 && isCount(value.after)),
    parse: (text) => (text === 'true' ? true : { after: toNumber(text) }),
    apply(reset, effects) {
      if (reset === true) effects.reset = true;
      else cutBody(effects, reset.after, true);
    },
  },
  truncate: {
    mustBe: 'must be an integer number of bytes.',
    isValid: isCount,
    apply: (bytes, effects) => cutBody(effects, bytes, false),
  },
  bytesPerSecond: {
    mustBe: 'must be a positive integer.',
    isValid: (value): value is number => isCount(value) && value > 0,
    apply(rate, { body }) {
      body.bytesPerSecond = Math.min(body.bytesPerSecond, rate);
    },
  },
  callsPerSecond: {
    mustBe: 'must be a number greater than 0.',
    isValid: (value): value is number => Number.isFinite(value) && (value as number) > 0,
  },
  expiredToken: {
    mustBe: 'must be true or omitted.',
    isValid: (value): value is true => value === true,
    parse: (text) => (text === 'true' ? true : text),
    apply(_, effects, surface) {
      effects.refusal ??= refusalFor('expired', surface, { message: EXPIRED[surface] });
    },
  },
};

export const FAULT_FIELDS = Object.keys(FAULT_KINDS) as readonly (keyof Fault)[];

const EXPIRED: Readonly<Record<SurfaceName, string>> = {
  gateway: 'The access token has expired.',
  storage: 'The credentials have expired.',
  upload: 'The grant has expired.',
  link: 'The link has expired.',
};

/** A fault to apply to one call, with its random values and rate limit resolved. */
export interface DueFault {
  readonly name: string;
  readonly fault: Fault;
  /** Milliseconds. */
  readonly latency: number;
  /** How many whole seconds to wait, if the call exceeds `callsPerSecond`. */
  readonly retryAfter: number | undefined;
}

export function toEffects(faults: readonly DueFault[], surface: SurfaceName): Effects {
  const effects: Effects = {
    latency: 0,
    reset: false,
    refusal: undefined,
    body: { limit: Infinity, byReset: false, bytesPerSecond: Infinity },
  };
  for (const { fault, latency, retryAfter } of faults) {
    effects.latency += latency;
    if (retryAfter !== undefined) {
      effects.refusal ??= refusalFor('limited', surface, { retryAfter });
    }
    for (const field of FAULT_FIELDS) {
      const { apply } = FAULT_KINDS[field] as FaultKind<unknown>;
      if (fault[field] !== undefined) apply?.(fault[field], effects, surface);
    }
  }
  return effects;
}

function cutBody({ body }: Effects, limit: number, byReset: boolean): void {
  if (limit < body.limit) Object.assign(body, { limit, byReset });
}

/** Parses a number. Returns `undefined` if the text is not a number. */
export function toNumber(text: string): number | undefined {
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
}

function isLatency(value: unknown): value is Latency {
  if (isLatencyMs(value)) return true;
  if (!isObject(value) || Object.keys(value).length !== 2) return false;
  const { min, max, mean, deviation } = value;
  if (isLatencyMs(min) && isLatencyMs(max)) return min <= max;
  return isLatencyMs(mean) && isLatencyMs(deviation);
}

function isLatencyMs(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= MAX_LATENCY_MS;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

const UPLOAD = codesOf(defaults.uploadErrors);

/** The error codes that can apply to an entire call, by surface. */
export const CODES: Readonly<Record<SurfaceName, readonly string[]>> = {
  gateway: codesOf(defaults.gatewayErrors),
  storage: codesOf(defaults.storageErrors),
  upload: UPLOAD,
  link: UPLOAD,
};

export const ALL_CODES = Object.values(CODES).flat();

export const SURFACES = Object.keys(CODES) as readonly SurfaceName[];

/** Excludes item codes, which never apply to a complete call. */
function codesOf(rows: readonly { code: string; status: number }[]): readonly string[] {
  return rows.filter(({ status }) => status >= 400).map(({ code }) => code);
}
