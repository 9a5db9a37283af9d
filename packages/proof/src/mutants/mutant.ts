import type { RuleId } from '../../../conformance/src/generated/rule-ids.gen.ts';
import type { Hooks, MutatedResponse } from '../proxy/messages.ts';

/** A fault of a deployment, made on the wire between the suite and the reference server. */
export interface Mutant {
  /** The rule that it breaks. */
  rule: RuleId;
  /** What is broken, as a sentence: `an answer to a GET carries no Content-Disposition`. */
  breaks: string;
  /** Other rules that cannot but fail with it. */
  companions: readonly RuleId[];
  /** Called once for each run, so that a mutant may have a memory. */
  create: (context: MutantContext) => Hooks;
}

/** What a mutant may use; its own calls go to the server and not through the mutant. */
export interface MutantContext {
  /** Address of the reference server behind the mutant. */
  serverUrl: string;
  /** Address of the mutant: what upload addresses and links begin with. */
  publicUrl: string;
  env: string;
  /** `Authorization` that the server accepts, for requests that it should refuse. */
  authorization: string;
  /** `Authorization` for the other environment of the server. */
  otherAuthorization: string;
  /** Headers of a storage call that the server accepts. */
  storageHeaders: () => Record<string, string>;
  /** Makes a storage call with good credentials, and returns `data` of the response. */
  storage: (operation: string, fields: object) => Promise<Record<string, unknown> | undefined>;
  /** Makes any call of the server; `target` is path and query. */
  call: (call: {
    method: string;
    target: string;
    headers: Record<string, string>;
    body?: Buffer | string;
  }) => Promise<MutatedResponse>;
  /** Key pair of the server, for mutants that verify signatures in their own way. */
  keyPair: { id: string; secret: string };
}

/** A row of a table of mutants. */
export function mutant(
  rule: RuleId,
  breaks: string,
  hooks: Mutant['create'] | Hooks,
  companions: readonly RuleId[] = [],
): Mutant {
  return { rule, breaks, companions, create: typeof hooks === 'function' ? hooks : () => hooks };
}
