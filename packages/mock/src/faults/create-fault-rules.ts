import type { Clock } from '../session/clock.ts';
import { createRandom } from './create-random.ts';
import { drawLatency } from './draw-latency.ts';
import type { FaultRule } from './fault.ts';
import type { DueFault, FaultRules, RateState } from './fault-rules.ts';
import { isFor } from './is-for.ts';
import { takeRate } from './take-rate.ts';

export interface FaultRulesOptions {
  /** The same seed draws the same shares and latencies. */
  readonly seed: string;
  /** `callsPerSecond` goes by it; a clock that stands still lets no further call in. */
  readonly clock: Pick<Clock, 'now'>;
  /** Those that are there from the start. Default: none. */
  readonly rules?: readonly FaultRule[];
}

const NONE: readonly DueFault[] = [];

/** Makes the faults of one session. */
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
      if (rules.size === 0) return NONE;
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

function toMap(rules: readonly FaultRule[]): Map<string, FaultRule> {
  return new Map(rules.map((rule) => [rule.name, rule]));
}

function isOnlyLimit({ fault }: FaultRule): boolean {
  return fault.callsPerSecond !== undefined && Object.keys(fault).length === 1;
}
