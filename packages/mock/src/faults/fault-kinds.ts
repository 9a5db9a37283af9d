import { setTimeout } from 'node:timers/promises';
import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import type { SurfaceName } from '../surface.ts';
import { toInteger } from '../user-input.ts';

/** What faults can do to a call. */
export interface FaultedCall {
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal;
  /** Responds with an error of the surface. */
  fail(code: string): void;
  /** Closes the connection with a TCP reset (RFC 9293, section 3.10.7), which clients see as `ECONNRESET`. */
  reset(): void;
  /** Closes the connection if the body of the response exceeds a size. Its `Content-Length` stays. */
  truncate(maxBytes: number): void;
}

export interface FaultKind<Value> {
  /** The requirement for the value: the end of a sentence that begins with the name of the kind. */
  readonly mustBe: string;
  /** Gets JSON, the text after `=`, which has no comma, or `true` without one. Returns undefined if it is invalid. */
  parse(value: unknown): Value | undefined;
  /** Returns what a surface requires instead, like `mustBe`; undefined if the value is valid there. Default: valid. */
  findProblem?(value: Value, surface: SurfaceName): string | undefined;
  /** Takes effect before the call is handled. */
  apply(value: Value, call: FaultedCall): void | Promise<void>;
  /** Whether the call ends here, and is not handled. Required if `apply` responds or closes the connection. */
  readonly endsCall?: boolean;
  /** Whether it has no effect on a WebSocket that opens, whose response has no body. */
  readonly needsBody?: boolean;
}

/**
 * All kinds of faults, in the order in which they take effect. `code` is last, because earlier kinds may change the
 * response that it sends. A row after `reset` has no effect with it; of two rows that change the body, the later one
 * sees it first. Options, header, control API and messages read this table, so a new kind needs a row here and
 * a line in the README. An effect that `FaultedCall` lacks is another method.
 */
export const FAULT_KINDS = {
  /** Delay before the call is handled, in milliseconds. Several faults add up. */
  latency: kind({
    mustBe: 'must be an integer number of milliseconds such as 200, at most one hour.',
    parse: (value) => toInteger(value, 0, MAX_LATENCY_MS),
    apply: (ms, { signal }) => setTimeout(ms, undefined, { signal }).catch(() => {}),
  }),
  /** Closes the connection without a response. */
  reset: kind({
    mustBe: 'must be true or omitted.',
    parse: (value) => (value === true || value === 'true' ? true : undefined),
    apply: (_, call) => call.reset(),
    endsCall: true,
  }),
  /** Closes the connection after this many bytes of the body. Shorter bodies are sent completely. */
  truncate: kind({
    mustBe: 'must be an integer number of bytes.',
    parse: (value) => toInteger(value, 0),
    apply: (bytes, call) => call.truncate(bytes),
    needsBody: true,
  }),
  /** An error code of the surface that is called, sent as the contract specifies. */
  code: kind({
    mustBe: "must be a code from one of the contract's error tables, such as SERVICE_TIMEOUT.",
    parse: (value) =>
      Object.values(CODES)
        .flat()
        .find((code) => code === value),
    findProblem(code, surface) {
      const codes = CODES[surface];
      if (codes.includes(code)) return undefined;
      return `must be an error code of ${surface}: ${codes.join(', ')}.`;
    },
    apply: (code, call) => call.fail(code),
    endsCall: true,
  }),
};

/** The faults of one call. They take effect in the order of `FAULT_KINDS`, up to one that ends the call. */
export type Fault = {
  readonly [Name in keyof typeof FAULT_KINDS]?: (typeof FAULT_KINDS)[Name] extends FaultKind<
    infer Value
  >
    ? Value
    : never;
};

/** Infers the value of a kind from `parse`. */
function kind<Value>(row: FaultKind<Value>): FaultKind<Value> {
  return row;
}

/** The error codes that can apply to an entire call, by surface. Items of a list have codes of their own. */
const CODES: Readonly<Record<SurfaceName, readonly string[]>> = {
  gateway: codesOf(defaults.gatewayErrors),
  storage: codesOf(defaults.storageErrors),
  upload: codesOf(defaults.uploadErrors),
  link: codesOf(defaults.uploadErrors),
};

function codesOf(rows: readonly { code: string; status: number }[]): readonly string[] {
  return rows.filter(({ status }) => status >= 400).map(({ code }) => code);
}

const MAX_LATENCY_MS = 3_600_000;
