import type { SurfaceName } from '../contract/surface.ts';
import type { Clock } from '../util/clock.ts';
import { CODES, type DueFault, type Fault, type Latency } from './fault.ts';

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

interface RateState {
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

/** How the `match` of a rule names a hosted service. */
export const SERVICE = 'service:';

/** Whether a rule is for a call. One with a `code` is for the surfaces whose table has it. */
function isFor({ match, fault }: FaultRule, subject: FaultSubject): boolean {
  const { surface, operationId, service } = subject;
  if (fault.code !== undefined && !CODES[surface].includes(fault.code)) return false;
  if (match === undefined || match === surface || match === operationId) return true;
  return service !== undefined && match === SERVICE + service;
}

interface FaultRulesOptions {
  /** The same seed draws the same shares and latencies. */
  readonly seed: string;
  /** `callsPerSecond` goes by it; a clock that stands still lets no further call in. */
  readonly clock: Pick<Clock, 'now'>;
  /** Those that are there from the start. Default: none. */
  readonly rules?: readonly FaultRule[];
}

export function createFaultRules({
  seed,
  clock,
  rules: first = [],
}: FaultRulesOptions): FaultRules {
  const random = createRandom(seed);
  let rules = toMap(first);
  let rates = new Map<string, RateState>();

  /** Whether the call is above the rate of a rule; undefined where it is not, or there is none. */
  function count({ name, fault: { callsPerSecond } }: FaultRule): number | undefined {
    if (callsPerSecond === undefined) return undefined;
    const { state, retryAfter } = takeRate(callsPerSecond, rates.get(name), clock.now());
    rates.set(name, state);
    return retryAfter;
  }

  function countDown(rule: FaultRule): void {
    if (rule.times === undefined) return;
    if (rule.times > 1) rules.set(rule.name, { ...rule, times: rule.times - 1 });
    else rules.delete(rule.name);
  }

  return {
    get isEmpty() {
      return rules.size === 0;
    },
    list: () => [...rules.values()],
    put(rule) {
      rules.set(rule.name, rule);
      rates.delete(rule.name);
    },
    delete(name) {
      rates.delete(name);
      return rules.delete(name);
    },
    clear() {
      rules.clear();
      rates.clear();
    },
    reset() {
      rules = toMap(first);
      rates.clear();
      random.state = createRandom(seed).state;
    },
    take(subject) {
      const due: DueFault[] = [];
      for (const rule of [...rules.values()]) {
        if (!isFor(rule, subject)) continue;
        if (rule.share !== undefined && random.next() >= rule.share) continue;
        const retryAfter = count(rule);
        // A limit that is not reached does nothing to the call.
        if (retryAfter === undefined && isOnlyLimit(rule)) continue;
        countDown(rule);
        const { name, fault } = rule;
        due.push({ name, fault, latency: drawLatency(fault.latency, random), retryAfter });
      }
      return due;
    },
    draw: (name, fault) => ({
      name,
      fault,
      latency: drawLatency(fault.latency, random),
      retryAfter: undefined,
    }),
    state: () => ({
      rules: [...rules.values()],
      random: random.state,
      rates: Object.fromEntries(rates),
    }),
    restore(state) {
      rules = toMap(state.rules);
      rates = new Map(Object.entries(state.rates));
      random.state = state.random;
    },
  };
}

/** What sums of fractions may be off by, so that who waited as long as told is let in. */
const ROUNDING = 1e-6;

/**
 * Asks for one call of so many by second: a bucket that holds those of one second, at least one call.
 *
 * @param state undefined before the first call
 * @param now milliseconds
 * @returns the state after it, and the whole seconds to wait where the call is one too many
 */
function takeRate(
  callsPerSecond: number,
  state: RateState | undefined,
  now: number,
): { state: RateState; retryAfter: number | undefined } {
  const most = Math.max(callsPerSecond, 1);
  // A clock that was set back begins a new second.
  const known = state !== undefined && state.at <= now ? state : { calls: most, at: now };
  const calls = Math.min(most, known.calls + ((now - known.at) / 1000) * callsPerSecond);
  if (calls >= 1 - ROUNDING) return { state: { calls: calls - 1, at: now }, retryAfter: undefined };
  const seconds = (1 - calls) / callsPerSecond;
  return { state: { calls, at: now }, retryAfter: Math.max(1, Math.ceil(seconds - ROUNDING)) };
}

function toMap(rules: readonly FaultRule[]): Map<string, FaultRule> {
  return new Map(rules.map((rule) => [rule.name, rule]));
}

function isOnlyLimit({ fault }: FaultRule): boolean {
  return fault.callsPerSecond !== undefined && Object.keys(fault).length === 1;
}

/** Numbers from 0 (included) to 1 (excluded) that a seed decides. */
interface Random {
  next(): number;
  /** Where it is: a whole number below 2^32. */
  state: number;
}

/** Milliseconds of one call. A normal distribution is cut off at 0. */
function drawLatency(latency: Latency | undefined, random: Random): number {
  if (latency === undefined) return 0;
  if (typeof latency === 'number') return latency;
  if ('min' in latency) return latency.min + random.next() * (latency.max - latency.min);
  return Math.max(0, latency.mean + latency.deviation * drawNormal(random));
}

/** Box-Muller: a number of the standard normal distribution. */
function drawNormal(random: Random): number {
  // The logarithm of 0 has no value.
  const radius = Math.sqrt(-2 * Math.log(1 - random.next()));
  return radius * Math.cos(2 * Math.PI * random.next());
}

/**
 * Makes random numbers that are the same for the same seed (mulberry32): good enough for faults, and
 * one number is its whole state.
 */
export function createRandom(seed: string): Random {
  return {
    state: hash(seed),
    next() {
      this.state = (this.state + 0x6d2b79f5) >>> 0;
      let value = this.state;
      value = Math.imul(value ^ (value >>> 15), value | 1);
      value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
      return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
    },
  };
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, 0x01000193);
  return value >>> 0;
}
