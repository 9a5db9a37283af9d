import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import { type Refusal, type SurfaceName, toRefusal } from '../contract/surface.ts';
import { isObject, toMilliseconds } from '../util/values.ts';

/** Time before an answer: milliseconds, a range of equal chances, or a normal distribution. */
export type Latency =
  | number
  | { readonly min: number; readonly max: number }
  | { readonly mean: number; readonly deviation: number };

/** What can be done to a call on purpose. All that is given is done. */
export interface Fault {
  /** Time before the answer begins; those of several faults add up. */
  readonly latency?: Latency;
  /** A code of the surface's error table, answered as the contract says. */
  readonly code?: string;
  /** The connection is reset: before the answer, or after so many bytes of its body. */
  readonly reset?: true | { readonly after: number };
  /** The connection is lost after so many bytes of the body; a shorter body is whole. */
  readonly truncate?: number;
  /** Bytes of the body by second. */
  readonly bytesPerSecond?: number;
  /** So many calls by second; what is above is refused with the code that the contract has for it. */
  readonly callsPerSecond?: number;
  /** The call is refused as one whose token, grant or link has expired. */
  readonly expiredToken?: true;
}

/** How the body of a response ends, and how fast it is sent. */
export interface BodyShape {
  /** Bytes after which the connection is lost. Default `Infinity`. */
  limit: number;
  /** Whether it is lost by a TCP reset. */
  byReset: boolean;
  /** Default `Infinity`. */
  bytesPerSecond: number;
}

/** What all faults of one call do to it together. */
export interface Effects {
  /** Milliseconds before the response begins. */
  latency: number;
  /** Whether the connection is reset before the response. */
  reset: boolean;
  /** The error that the call ends with: that of the first fault that has one. */
  refusal: Refusal | undefined;
  readonly body: BodyShape;
}

/** One kind of fault: how it is written, and what it does. */
interface FaultKind<Value> {
  /** Label of the inspector, and an example of the value that its form shows. */
  readonly label: string;
  readonly example?: string;
  /** What the value must be: the end of a sentence that begins with the name of the field. */
  readonly mustBe: string;
  readonly isValid: (value: unknown) => value is Value;
  /**
   * Reads the text behind `=` in the compact form; what has no such form stays a text, which `isValid`
   * refuses. Default: a number.
   */
  readonly parse?: (text: string) => unknown;
  /** Default: nothing; `createFaultRules` draws latencies and counts calls. */
  readonly apply?: (value: Value, effects: Effects, surface: SurfaceName) => void;
}

/** Nobody waits longer: one hour. */
const MAX_LATENCY_MS = 3_600_000;

/** Every kind of fault. A new one is a member of {@link Fault}, a row here, and a row in the README. */
export const FAULT_KINDS: {
  readonly [Field in keyof Fault]-?: FaultKind<NonNullable<Fault[Field]>>;
} = {
  latency: {
    label: 'Latency, ms',
    example: '500',
    mustBe:
      'must be milliseconds up to one hour (200), a range ({ "min": 100, "max": 300 }; 100..300), or a normal distribution ({ "mean": 200, "deviation": 50 }; 200~50).',
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
    label: 'Error code',
    example: 'SERVICE_TIMEOUT',
    mustBe: 'must be a code of an error table of the contract, such as SERVICE_TIMEOUT.',
    isValid: (value): value is string => ALL_CODES.includes(value as string),
    apply(code, effects, surface) {
      effects.refusal ??= toRefusal(surface, code);
    },
  },
  reset: {
    label: 'Connection reset',
    mustBe: 'must be true, or { "after": bytes of the body } (reset=100).',
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
    label: 'Body cut after bytes',
    example: '100',
    mustBe: 'must be a whole number of bytes.',
    isValid: isCount,
    apply: (bytes, effects) => cutBody(effects, bytes, false),
  },
  bytesPerSecond: {
    label: 'Bytes by second',
    example: '10000',
    mustBe: 'must be a whole number of at least 1.',
    isValid: (value): value is number => isCount(value) && value > 0,
    apply(rate, { body }) {
      body.bytesPerSecond = Math.min(body.bytesPerSecond, rate);
    },
  },
  callsPerSecond: {
    label: 'Calls by second',
    example: '2',
    mustBe: 'must be a number above 0.',
    isValid: (value): value is number => Number.isFinite(value) && (value as number) > 0,
  },
  expiredToken: {
    label: 'Token expired',
    mustBe: 'must be true, or be left out.',
    isValid: (value): value is true => value === true,
    parse: (text) => (text === 'true' ? true : text),
    apply(_, effects, surface) {
      const { code, message } = EXPIRED[surface];
      effects.refusal ??= toRefusal(surface, code, { message });
    },
  },
};

export const FAULT_FIELDS = Object.keys(FAULT_KINDS) as readonly (keyof Fault)[];

/** What each surface says of a credential that was valid once. */
const EXPIRED: Readonly<Record<SurfaceName, { code: string; message: string }>> = {
  gateway: { code: 'ACCESS_TOKEN_EXPIRED', message: 'The access token has expired.' },
  storage: { code: 'SIGN_PARAM_INVALID', message: 'The credentials have expired.' },
  upload: { code: 'AccessDenied', message: 'The grant has expired.' },
  link: { code: 'AccessDenied', message: 'The link has expired.' },
};

/** The code of each surface for one call too many. */
const RATE_CODES: Readonly<Record<SurfaceName, string>> = {
  gateway: 'EXCEED_RATELIMIT',
  storage: 'EXCEED_RATELIMIT',
  upload: 'SlowDown',
  link: 'SlowDown',
};

/** A fault that is to be done to one call, all drawn and counted. */
export interface DueFault {
  /** Name of its rule. */
  readonly name: string;
  readonly fault: Fault;
  /** Milliseconds. */
  readonly latency: number;
  /** Whole seconds to wait, if the call is above `callsPerSecond`. */
  readonly retryAfter: number | undefined;
}

/** What the faults of a call do to it. */
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
      effects.refusal ??= toRefusal(surface, RATE_CODES[surface], { retryAfter });
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

/** The number of a text; undefined if it is none. */
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

/** The codes that a call of each surface can end with. */
export const CODES: Readonly<Record<SurfaceName, readonly string[]>> = {
  gateway: codesOf(defaults.gatewayErrors),
  storage: codesOf(defaults.storageErrors),
  upload: UPLOAD,
  link: UPLOAD,
};

export const ALL_CODES = Object.values(CODES).flat();

export const SURFACES = Object.keys(CODES) as readonly SurfaceName[];

/** Codes of errors; those of one entry of a result list are none of a whole call. */
function codesOf(rows: readonly { code: string; status: number }[]): readonly string[] {
  return rows.filter(({ status }) => status >= 400).map(({ code }) => code);
}
