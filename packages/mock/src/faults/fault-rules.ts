import type { Fault, FaultRule } from './fault.ts';

/** A call, as far as a rule can ask for it. */
export interface FaultSubject {
  readonly surface: 'gateway' | 'storage' | 'upload' | 'link';
  readonly operationId: string | undefined;
  readonly service: string | undefined;
}

/** The faults of a session. */
export interface FaultRules {
  list(): readonly FaultRule[];
  /** Adds a rule, or replaces the one of the same name. */
  put(rule: FaultRule): void;
  delete(name: string): boolean;
  clear(): void;
  /** The rules that are to be done to this call; counts it for `times` and `callsPerSecond`. */
  take(subject: FaultSubject): readonly { readonly name: string; readonly fault: Fault }[];
}
