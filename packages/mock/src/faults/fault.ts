import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import type { SurfaceName } from '../contract/surface.ts';
import { toMilliseconds } from '../util/values.ts';

/** The faults to inject into a call. Every field that is set takes effect. */
export interface Fault {
  /** Delay before the response begins, in milliseconds. Several faults add up. */
  readonly latency?: number;
  /** A code from the surface's error table, sent as the contract specifies. */
  readonly code?: string;
  /** Resets the connection before the response. */
  readonly reset?: true;
  /** Closes the connection after this many bytes of the body. Shorter bodies are sent completely. */
  readonly truncate?: number;
}

/** A fault, and the calls that it applies to. */
export interface FaultRule {
  /** Name in the log. */
  readonly name: string;
  /** An `operationId`, a surface, or a service (`service:hello`). Default: every call. */
  readonly match?: string;
  /** Number of calls after which the rule is removed. Default: unlimited. */
  readonly times?: number;
  readonly fault: Fault;
}

interface FaultKind {
  /** Requirement for the value: the end of a sentence that begins with the field name. */
  readonly mustBe: string;
  readonly isValid: (value: unknown) => boolean;
  /** Parses the text after `=` in the compact form. Returns the text itself if it is invalid. */
  readonly parse: (text: string) => unknown;
}

/** Maximum delay: one hour. */
const MAX_LATENCY_MS = 3_600_000;

/** All kinds of faults. A new kind needs a member of {@link Fault}, a row here, and a row in the README. */
export const FAULT_KINDS: Readonly<Record<keyof Fault, FaultKind>> = {
  latency: {
    mustBe: 'must be a number of milliseconds such as 200, at most one hour.',
    isValid: (value) => typeof value === 'number' && value >= 0 && value <= MAX_LATENCY_MS,
    parse: (text) => toMilliseconds(text) ?? text,
  },
  code: {
    mustBe: "must be a code from one of the contract's error tables, such as SERVICE_TIMEOUT.",
    isValid: (value) => ALL_CODES.includes(value as string),
    parse: (text) => text,
  },
  reset: {
    mustBe: 'must be true or omitted.',
    isValid: (value) => value === true,
    parse: (text) => (text === 'true' ? true : text),
  },
  truncate: {
    mustBe: 'must be an integer number of bytes.',
    isValid: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
    parse: toNumber,
  },
};

export const FAULT_FIELDS = Object.keys(FAULT_KINDS) as readonly (keyof Fault)[];

/** Parses a number. Returns the text itself if it is not a number. */
export function toNumber(text: string): number | string {
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : text;
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

export interface FaultSubject {
  readonly surface: SurfaceName;
  readonly operationId: string | undefined;
  readonly service: string | undefined;
}

/** Prefix of `match` in a rule that applies to a hosted service. */
export const SERVICE = 'service:';

/** The fault rules of a session. */
export class FaultRules {
  readonly #initial: readonly FaultRule[];
  readonly #rules = new Map<string, FaultRule>();

  constructor(initial: readonly FaultRule[] = []) {
    this.#initial = initial;
    this.reset();
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
  }

  delete(name: string): boolean {
    return this.#rules.delete(name);
  }

  /** Restores the initial rules. */
  reset(): void {
    this.#rules.clear();
    for (const rule of this.#initial) this.put(rule);
  }

  /** Returns the rules that apply to this call, and counts the call for `times`. */
  take(subject: FaultSubject): readonly FaultRule[] {
    const due = this.list().filter((rule) => isFor(rule, subject));
    for (const rule of due) {
      const { name, times } = rule;
      if (times === 1) this.#rules.delete(name);
      else if (times !== undefined) this.#rules.set(name, { ...rule, times: times - 1 });
    }
    return due;
  }
}

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

/** What all faults of a call do together: latencies add up, and the first code and the shortest body apply. */
export function combineFaults(faults: readonly Fault[]) {
  return {
    latency: faults.reduce((sum, fault) => sum + (fault.latency ?? 0), 0),
    truncate: Math.min(...faults.map((fault) => fault.truncate ?? Infinity)),
    code: faults.find((fault) => fault.code !== undefined)?.code,
    reset: faults.some(({ reset }) => reset),
  };
}
