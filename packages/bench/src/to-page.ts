import { heldByTests } from './held-by-tests.ts';
import type { DatedRow, Figure } from './row.ts';
import { toSummary, toTable } from './to-table.ts';

const INTRODUCTION = `# Performance

Measured by \`npm run bench -- --page docs/reference/performance.md\`, which writes this page. Ours and the peer are
measured in turn, in one run, on one machine: a figure alone says much about the machine, the ratio says something
about the code. It is the median of the ratios of all pairs (\`runs\`). \`requests/CPU s\` is what a server answers by
second of processor time that it uses; \`CPU µs\` is processor time of the caller. The peers and what they are given
to do stand in \`packages/bench/src\`.`;

/**
 * The page `docs/reference/performance.md`.
 *
 * @param figures all that is measured
 * @param rows what was measured; each tells when and where
 * @returns Markdown whose links are relative to `docs/reference`
 */
export function toPage(figures: readonly Figure[], rows: readonly DatedRow[]): string {
  const dates = [...new Set(rows.map(({ date }) => date.slice(0, 10)))].sort();
  const machines = [...new Set(rows.map(({ machine }) => machine))];
  const held = heldByTests.map(
    ({ goal, file, command }) => `| ${goal} | [\`${file}\`](../../${file}) | ${command} |`,
  );
  return `${INTRODUCTION}

${dates.join(' and ')}, on ${machines.join('; ')}: ${toSummary(figures, rows)}.

${toTable(figures, rows)}

A ratio \`>= 2\` is at least twice the peer's figure, \`<= 1.2\` at most 1.2 times it. A bound is a peer that always
stands. nginx, the way straight to the service, and the sizes of other clients are there for comparison.

## Held by tests

| Goal | Test | Runs with |
| --- | --- | --- |
${held.join('\n')}
`;
}
