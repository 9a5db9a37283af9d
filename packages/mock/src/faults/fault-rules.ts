import type { SurfaceName } from '../surface-name.ts';
import type { Fault, FaultRule } from './fault.ts';

/** A call, as far as a rule can ask for it. */
export interface FaultSubject {
  readonly surface: SurfaceName;
  readonly operationId: string | undefined;
  readonly service: string | undefined;
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

/** All that decides which faults come next, as JSON. */
export interface FaultsState {
  /** With what is left of `times`. */
  readonly rules: readonly FaultRule[];
  /** Where the random numbers are. */
  readonly random: number;
  /** What is left of `callsPerSecond`, by the name of the rule. */
  readonly rates: Readonly<Record<string, RateState>>;
}

export interface RateState {
  /** Calls that may still come at once. */
  readonly calls: number;
  /** When that was so: milliseconds since the epoch, by the session's clock. */
  readonly at: number;
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
