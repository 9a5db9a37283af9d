import { OUTCOMES } from '../result.ts';
import type { Report } from './to-report.ts';

/** What a run says of the deployment, in one phrase. */
export function toVerdictPhrase({ summary, exitCode, baseline }: Report): string {
  switch (exitCode) {
    case 1:
      return baseline.stale.length > 0 ? 'the baseline is stale' : 'breaks the contract';
    case 3:
      return 'incomplete: what must be checked was skipped';
    case 4:
      return 'incomplete: a check ended in an error';
    case 0:
      if (summary.pass === 0) return 'nothing was checked';
      if (baseline.known.length > 0) return 'keeps the contract but for known failures';
      if (summary.fail > 0) return 'keeps the contract, but not every SHOULD';
      return summary.disabled > 0 ? 'keeps the contract as far as checked' : 'keeps the contract';
  }
}

/** The last line of a run: counts, verdict, declared deviations, seed and duration. */
export function toSummaryLine(report: Report): string {
  const { summary, declared, seed, durationMs } = report;
  const counts = OUTCOMES.map((outcome) => `${summary[outcome]} ${outcome}`);
  return [
    `${counts.join(', ')}: ${toVerdictPhrase(report)}`,
    ...(declared.length > 0 ? [`declared: ${declared.join(' ')}`] : []),
    `seed ${seed}`,
    `${(durationMs / 1000).toFixed(1)} s`,
  ].join(' · ');
}
