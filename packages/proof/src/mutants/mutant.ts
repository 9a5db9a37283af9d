import type { RuleId } from '../../../conformance/src/generated/rule-ids.gen.ts';
import type { Hooks, MutatedResponse } from '../proxy/messages.ts';
import type { ToServer } from '../proxy/start-mutating-proxy.ts';

/** A fault in a deployment. A proxy between the suite and the reference server injects it. */
export interface Mutant {
  /** The rule that it breaks. */
  rule: RuleId;
  /** What is broken, as a sentence: `a JSON response to a GET has no Content-Disposition`. */
  breaks: string;
  /** Other rules that inevitably fail with it. */
  companions: readonly RuleId[];
  /** Called once per run, so that a mutant can keep state. */
  create: (context: MutantContext) => Hooks;
}

/** The context that a mutant can use. Calls that the mutant makes itself are sent directly to the server. */
export interface MutantContext {
  /** Address of the server behind the mutant for a path and query. */
  toServer: ToServer;
  /** URL of the mutant: the base of upload URLs and links. */
  publicUrl: string;
  env: string;
  /** An `Authorization` value that the server accepts, for requests that it should reject. */
  authorization: string;
  /** An `Authorization` value for the server's other environment. */
  otherAuthorization: string;
  /** Headers for a storage call that the server accepts. */
  storageHeaders: () => Record<string, string>;
  /** Makes a storage call with valid credentials, and returns `data` from the response. */
  storage: (operation: string, fields: object) => Promise<Record<string, unknown> | undefined>;
  /** Makes any call to the server; `target` is path and query. */
  call: (call: {
    method: string;
    target: string;
    headers: Record<string, string>;
    body?: Buffer | string;
  }) => Promise<MutatedResponse>;
  /** The server's key pair, for mutants that verify signatures themselves. */
  keyPair: { id: string; secret: string };
}

/** Creates a row in a table of mutants. */
export function mutant(
  rule: RuleId,
  breaks: string,
  hooks: Mutant['create'] | Hooks,
  companions: readonly RuleId[] = [],
): Mutant {
  return { rule, breaks, companions, create: typeof hooks === 'function' ? hooks : () => hooks };
}

/** Creates the rows for one rule's mutants. Each key of `rows` describes what its mutant breaks. */
export function mutantsOf(
  rule: RuleId,
  rows: Readonly<Record<string, Mutant['create'] | Hooks>>,
): Mutant[] {
  return Object.entries(rows).map(([breaks, hooks]) => mutant(rule, breaks, hooks));
}
