import type { SurfaceName } from '../contract/surface.ts';
import type { Clock } from '../util/clock.ts';
import { CODES, type DueFault, type Fault, type Latency } from './fault.ts';

/** A fault, and the calls that it applies to. */
export interface FaultRule {
  /** Name in the log. */
  readonly name: string;
  /** An `operationId`, a surface, or a service (`service:hello`). Default: every call. */
  readonly match?: string;
  /** Fraction of calls to apply it to, 0 to 1, chosen at random using the mock's seed. Default 1. */
  readonly share?: number;
  /** Number of calls after which the rule is removed. Default: unlimited. */
  readonly times?: number;
  readonly fault: Fault;
}

interface RateState {
  /** Number of calls currently allowed. */
  readonly calls: number;
  /** When that number was computed: milliseconds since the epoch, by the session's clock. */
  readonly at: number;
}

/** The state that determines the next faults, as JSON. */
export interface FaultsState {
  /** Rules with their remaining `times`. */
  readonly rules: readonly FaultRule[];
  /** State of the random number generator. */
  readonly random: number;
  /** State of `callsPerSecond`, by rule name. */
  readonly rates: Readonly<Record<string, RateState>>;
}

export interface FaultSubject {
  readonly surface: SurfaceName;
  readonly operationId: string | undefined;
  readonly service: string | undefined;
}

/** Prefix of `match` in a rule that applies to a hosted service. */
export const SERVICE = 'service:';

/**
 * Returns whether a rule matches a call. A rule with a `code` only matches on surfaces whose error table has
 * that code.
 */
function isFor({ match, fault }: FaultRule, subject: FaultSubject): boolean {
  const { surface, operationId, service } = subject;
  if (fault.code !== undefined && !CODES[surface].includes(fault.code)) return false;
  if (match === undefined || match === surface || match === operationId) return true;
  return service !== undefined && match === SERVICE + service;
}

interface FaultRulesOptions {
  readonly seed: string;
  /** Clock for `callsPerSecond`; while it is frozen, no further calls are allowed. */
  readonly clock: Pick<Clock, 'now'>;
  readonly rules?: readonly FaultRule[];
}

export class FaultRules {
  readonly #options: FaultRulesOptions;
  readonly #random: Random;
  #rules: Map<string, FaultRule>;
  #rates = new Map<string, RateState>();

  constructor(options: FaultRulesOptions) {
    this.#options = options;
    this.#random = createRandom(options.seed);
    this.#rules = toMap(options.rules ?? []);
  }

  /** Whether there are no rules; if so, calls need not be identified. */
  get isEmpty(): boolean {
    return this.#rules.size === 0;
  }

  /** Returns the rules with their remaining `times`. */
  list(): readonly FaultRule[] {
    return [...this.#rules.values()];
  }

  /** Adds a rule, or replaces the rule with the same name. */
  put(rule: FaultRule): void {
    this.#rules.set(rule.name, rule);
    this.#rates.delete(rule.name);
  }

  delete(name: string): boolean {
    this.#rates.delete(name);
    return this.#rules.delete(name);
  }

  clear(): void {
    this.#rules.clear();
    this.#rates.clear();
  }

  /** Restores the initial rules and random state. */
  reset(): void {
    const { seed, rules = [] } = this.#options;
    this.restore({ rules, rates: {}, random: createRandom(seed).state });
  }

  /** Returns the faults to apply to this call, and counts the call for `times` and `callsPerSecond`. */
  take(subject: FaultSubject): readonly DueFault[] {
    const due: DueFault[] = [];
    for (const rule of this.list()) {
      const { name, fault, share, times } = rule;
      if (!isFor(rule, subject)) continue;
      if (share !== undefined && this.#random.next() >= share) continue;
      const retryAfter = this.#count(rule);
      // A limit that has not been reached does not affect the call.
      if (retryAfter === undefined && isOnlyLimit(rule)) continue;
      if (times === 1) this.#rules.delete(name);
      else if (times !== undefined) this.#rules.set(name, { ...rule, times: times - 1 });
      due.push({ ...this.draw(name, fault), retryAfter });
    }
    return due;
  }

  /** Resolves a fault without a rule, such as one from a request header. */
  draw(name: string, fault: Fault): DueFault {
    return {
      name,
      fault,
      latency: drawLatency(fault.latency, this.#random),
      retryAfter: undefined,
    };
  }

  state(): FaultsState {
    return {
      rules: this.list(),
      random: this.#random.state,
      rates: Object.fromEntries(this.#rates),
    };
  }

  restore({ rules, rates, random }: FaultsState): void {
    this.#rules = toMap(rules);
    this.#rates = new Map(Object.entries(rates));
    this.#random.state = random;
  }

  /** Returns how many seconds to wait if the call exceeds the rule's rate limit. */
  #count({ name, fault: { callsPerSecond } }: FaultRule): number | undefined {
    if (callsPerSecond === undefined) return undefined;
    const now = this.#options.clock.now();
    const { state, retryAfter } = takeRate(callsPerSecond, this.#rates.get(name), now);
    this.#rates.set(name, state);
    return retryAfter;
  }
}

/** Tolerance for rounding errors, so that a caller that waits exactly as long as requested succeeds. */
const ROUNDING = 1e-6;

/**
 * Token bucket that holds one second's worth of calls, at least one.
 *
 * @param state undefined before the first call
 * @param now milliseconds
 * @returns the state after the call, and how many whole seconds to wait if the call exceeds the rate
 */
function takeRate(
  callsPerSecond: number,
  state: RateState | undefined,
  now: number,
): { state: RateState; retryAfter: number | undefined } {
  const most = Math.max(callsPerSecond, 1);
  // If the clock was set back, a new second starts.
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

/** Returns random numbers from 0 (inclusive) to 1 (exclusive), determined by a seed. */
interface Random {
  next(): number;
  /** State: an integer below 2^32. */
  state: number;
}

/** Returns the latency of one call in milliseconds. A normal distribution is clamped at 0. */
function drawLatency(latency: Latency | undefined, random: Random): number {
  if (latency === undefined) return 0;
  if (typeof latency === 'number') return latency;
  if ('min' in latency) return latency.min + random.next() * (latency.max - latency.min);
  return Math.max(0, latency.mean + latency.deviation * drawNormal(random));
}

/** Box-Muller transform: returns a standard normal random number. */
function drawNormal(random: Random): number {
  // The logarithm of 0 is undefined.
  const radius = Math.sqrt(-2 * Math.log(1 - random.next()));
  return radius * Math.cos(2 * Math.PI * random.next());
}

/**
 * Creates a seeded random number generator (mulberry32). It is good enough for faults, and its state is a
 * single number.
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
