import type { Report } from '../report/to-report.ts';
import type { Result } from '../result.ts';
import { isChosen } from './is-chosen.ts';

/** What there is to say after the last result, before the summary. */
export function toEndLines({ results, leftovers, baseline, comparison }: Report): string[] {
  return [
    ...toDisabledLines(results),
    ...toList('left behind, for it could not be removed', leftovers),
    ...toList('known failures', baseline.known),
    ...toList('stale in the baseline: no longer failing, or no check of this name', baseline.stale),
    ...(comparison
      ? [
          ...toList(`newly failing since ${comparison.since}`, comparison.newlyFailing),
          ...toList(`newly passing since ${comparison.since}`, comparison.newlyPassing),
          ...toList(`still failing since ${comparison.since}`, comparison.stillFailing),
        ]
      : []),
  ];
}

function toList(title: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : [`${title}: ${items.join(', ')}`];
}

/** By reason; what the operator has left out is only counted. */
function toDisabledLines(results: readonly Result[]): string[] {
  const disabled = results.filter(({ outcome }) => outcome === 'disabled');
  const reasons = new Set(disabled.map(({ reason = '' }) => reason));
  return [...reasons].map((reason) => {
    const own = disabled.filter((result) => (result.reason ?? '') === reason);
    const names = isChosen(reason) ? String(own.length) : own.map(({ id }) => id).join(', ');
    return `disabled (${reason}): ${names}`;
  });
}
