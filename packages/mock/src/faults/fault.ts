import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import type { SurfaceName } from '../contract/surface.ts';

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

/** A fault that is to be done to one call, all drawn and counted. */
export interface DueFault {
  /** Name of its rule. */
  readonly name: string;
  readonly fault: Fault;
  /** Milliseconds. */
  readonly latency: number;
  /** Whole seconds to wait, where the call is above `callsPerSecond`; else undefined. */
  readonly retryAfter: number | undefined;
}

/** A fault, and the calls that it is done to. */
export interface FaultRule {
  /** Name in the log and the inspector. */
  readonly name: string;
  /** An `operationId`, a surface, or a service (`service:hello`). Default: every call. */
  readonly match?: string;
  /** Share of the calls, 0 to 1, drawn with the seed of the mock. Default 1. */
  readonly share?: number;
  /** Done to so many calls, then forgotten. Default: no end. */
  readonly times?: number;
  readonly fault: Fault;
}

export interface RateState {
  /** Calls that may still come at once. */
  readonly calls: number;
  /** When that was so: milliseconds since the epoch, by the session's clock. */
  readonly at: number;
}

/** All that decides which faults come next, as JSON. */
export interface FaultsState {
  /** With what is left of `times`. */
  readonly rules: readonly FaultRule[];
  /** Where the random numbers are. */
  readonly random: number;
  /** What is left of `callsPerSecond`, by the name of the rule. */
  readonly rates: Readonly<Record<string, RateState>>;
}

/** A call, as far as a rule can ask for it. */
export interface FaultSubject {
  readonly surface: SurfaceName;
  readonly operationId: string | undefined;
  readonly service: string | undefined;
}

/** The faults of a session. */
export interface FaultRules {
  /** Whether there is no rule: then nothing needs to be known of a call. */
  readonly isEmpty: boolean;
  /** The rules with what is left of their `times`. */
  list(): readonly FaultRule[];
  /** Adds a rule, or replaces the one of the same name. */
  put(rule: FaultRule): void;
  delete(name: string): boolean;
  clear(): void;
  /** Back to the rules that the mock was started with, and to the first of the random numbers. */
  reset(): void;
  /** What is to be done to this call; counts it for `times` and `callsPerSecond`. */
  take(subject: FaultSubject): readonly DueFault[];
  /** Draws for a fault that no rule holds, such as the one of a request header. */
  draw(name: string, fault: Fault): DueFault;
  state(): FaultsState;
  restore(state: FaultsState): void;
}

const UPLOAD = codesOf(defaults.uploadErrors);

/** The codes that a call of each surface can end with. */
export const CODES: Readonly<Record<SurfaceName, readonly string[]>> = {
  gateway: codesOf(defaults.gatewayErrors),
  storage: codesOf(defaults.storageErrors),
  upload: UPLOAD,
  link: UPLOAD,
};

export const SURFACES = Object.keys(CODES) as readonly SurfaceName[];

/** Codes of errors; those of one entry of a result list are none of a whole call. */
function codesOf(rows: readonly { code: string; status: number }[]): readonly string[] {
  return rows.filter(({ status }) => status >= 400).map(({ code }) => code);
}

/** The code of each surface for one call too many. */
export const RATE_CODES: Readonly<Record<SurfaceName, string>> = {
  gateway: 'EXCEED_RATELIMIT',
  storage: 'EXCEED_RATELIMIT',
  upload: 'SlowDown',
  link: 'SlowDown',
};

/** How the `match` of a rule names a hosted service. */
export const SERVICE = 'service:';

/** Whether a rule is for a call. One with a `code` is for the surfaces whose table has it. */
export function isFor({ match, fault }: FaultRule, subject: FaultSubject): boolean {
  const { surface, operationId, service } = subject;
  if (fault.code !== undefined && !CODES[surface].includes(fault.code)) return false;
  if (match === undefined || match === surface || match === operationId) return true;
  return service !== undefined && match === SERVICE + service;
}
