import type { Report } from '../report/to-report.ts';

/** What there is to say after the last result, before the summary. */
export function toEndLines({ leftovers, baseline, comparison }: Report): string[] {
  return [
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
