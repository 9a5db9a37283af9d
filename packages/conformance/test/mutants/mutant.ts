import type { SentenceId } from '../../src/generated/rule-ids.gen.ts';
import type { Hooks } from '../proxy/messages.ts';
import type { MutantContext } from './context.ts';

/** A fault in a deployment. A proxy between the suite and the reference server injects it. */
export interface Mutant {
  /** The sentence that it breaks. */
  id: SentenceId;
  /** What is broken, as a sentence: `a JSON response to a GET has no Content-Disposition`. */
  breaks: string;
  /** Called once per run, so that a mutant can keep state. */
  create: (context: MutantContext) => Hooks;
}

/** Mutants by the rule that they break and what they break: `GW-C1: a JSON response to a GET has no …`. */
export type Rows = { readonly [row in `${SentenceId}: ${string}`]: Mutant['create'] | Hooks };

export const toMutants = (rows: Rows): Mutant[] =>
  Object.entries(rows).map(([name, row]) => {
    const [id, breaks = ''] = name.split(/: (.*)/);
    return { id: id as SentenceId, breaks, create: typeof row === 'function' ? row : () => row };
  });
