import type { DatedRow, Figure } from './compare.ts';
import { toSummary, toTable } from './to-table.ts';

/**
 * Goals of the parts that are no comparison of two figures, or that take too long for a bench: what holds
 * them, from the root of the repository, and the command that runs it.
 */
export const heldByTests: readonly { goal: string; file: string; command: string }[] = [
  {
    goal: "GitHub's document of more than 1,200 operations is generated in less than 60 s, its request validators load in less than 80 ms, and no verdict differs from Ajv's",
    file: 'packages/server-stubs/scripts/soak.ts',
    command: 'npm run soak',
  },
  {
    goal: '100,000 hostile requests to the stubs: no 5xx, no hang, no unhandled rejection, memory flat',
    file: 'packages/server-stubs/test/fuzz.test.ts',
    command: 'npm run soak; 5,000 of them in npm test',
  },
  {
    goal: 'Uploads that are killed, full disks, lost stores and services: nothing acknowledged is lost',
    file: 'packages/server/test/faults/killed.test.ts',
    command: 'npm test',
  },
  {
    goal: 'Through a proxy that resets, delays, truncates, reorders and repeats, the client executes no call twice and hangs nowhere',
    file: 'packages/client/test/faults-through-a-proxy.test.ts',
    command: 'npm test; 5,000 runs in npm run soak',
  },
  {
    goal: 'The bundles of the client, and what is not in them',
    file: 'packages/client/test/sizes.test.ts',
    command: 'npm test',
  },
  {
    goal: 'The mock in its static mode agrees with prism-cli, but for 10 rules',
    file: 'packages/mock/test/differential/differential.test.ts',
    command: 'npm test',
  },
  {
    goal: 'Every mutant of the reference server is found by the right rule, and the sound server passes 50 times in a row under load',
    file: 'packages/proof/scripts/soak.ts',
    command: 'npm run soak; each mutant by its own rule in npm test',
  },
];

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
