import type { Report } from './to-report.ts';

const VERDICTS: Record<Report['exitCode'], string> = {
  0: 'keeps the contract as far as this version checks',
  1: 'breaks the contract',
  3: 'incomplete: something that must be checked was skipped',
  4: 'incomplete: a check ended in an error',
};

/** The last line of a run. */
export function toSummary({ summary, exitCode }: Report): string {
  const { pass, fail, error, skip, required } = summary;
  const skips = required > 0 ? `${skip} skip (${required} required)` : `${skip} skip`;
  return `${pass} pass, ${fail} fail, ${error} error, ${skips}: ${VERDICTS[exitCode]}`;
}
