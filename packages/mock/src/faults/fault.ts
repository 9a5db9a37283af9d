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
