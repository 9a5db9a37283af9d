import {
  type ConformanceOptions,
  createConformance,
  type Report,
  StartError,
} from '@berth/conformance';
import type { SourceMutant } from './instrument.ts';
import type { Normal } from './measure.ts';
import { type Place, SEED, startInstrumented } from './start-instrumented.ts';

/** How the run against a source mutant ended. */
type Verdict =
  /** A rule failed. */
  | 'found'
  /** No rule failed, but the run did not end with 0: responses were missing, or all were rejections. */
  | 'incomplete'
  /** The run passed. */
  | 'survived'
  /** No rule reaches the code. */
  | 'unreached'
  /** There was nothing to check, because the server did not start. */
  | 'no-start';

/** The result for a source mutant. */
export interface SourceMutantRow extends Omit<SourceMutant, 'id'> {
  verdict: Verdict;
  /** The rule, transaction or workflow that failed. */
  by?: string;
}

/** Most mutants are found by rules that take no longer than this. */
const SHORT_MILLISECONDS = 500;
/** Time limit of a run: many times what a normal run takes. */
const LEAST_BUDGET_SECONDS = 60;
const BUDGET_FACTOR = 4;

/** Runs the rules that reach a mutant, the short ones first, until one fails. */
export async function checkSourceMutant(
  { id, ...mutant }: SourceMutant,
  { reached, durations, total }: Normal,
  place: Place,
): Promise<SourceMutantRow> {
  const rules = reached[id] ?? [];
  if (rules.length === 0) return { ...mutant, verdict: 'unreached' };
  const server = await startInstrumented(place, id);
  if (server === undefined) return { ...mutant, verdict: 'no-start' };
  try {
    const isShort = (rule: string) => (durations[rule] ?? 0) <= SHORT_MILLISECONDS;
    const stages = [
      rules.filter(isShort),
      [...rules.filter((rule) => !isShort(rule)), 'dredd', 'respect'],
    ];
    const budget = Math.max(LEAST_BUDGET_SECONDS, Math.ceil((total * BUDGET_FACTOR) / 1000));
    let verdict: Verdict = 'survived';
    for (const only of stages.filter(({ length }) => length > 0)) {
      const report = await run({ ...server.options, only, budget });
      const by = report?.results.find(({ outcome }) => outcome === 'fail')?.id;
      if (by !== undefined) return { ...mutant, verdict: 'found', by };
      if (report?.exitCode !== 0) verdict = 'incomplete';
    }
    return { ...mutant, verdict };
  } finally {
    await server.close();
  }
}

/** Returns `undefined` if nothing can be checked. */
async function run(options: ConformanceOptions): Promise<Report | undefined> {
  try {
    return await createConformance({ ...options, bail: true, seed: SEED, timeout: 10_000 }).run();
  } catch (error) {
    if (error instanceof StartError) return undefined;
    throw error;
  }
}
