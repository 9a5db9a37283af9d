import type { DatedRow, Figure } from './compare.ts';
import { toSummary, toTable } from './to-table.ts';

/**
 * Goals that do not compare two figures, or that take too long to measure in a benchmark. Each row names the
 * test that checks the goal, and the command that runs the test.
 */
export const checkedByTests: readonly { goal: string; file: string; command: string }[] = [
  {
    goal: "Stubs for GitHub's document, with more than 1,200 operations, are generated in less than 60 s; its request validators load in less than 80 ms and agree with Ajv",
    file: 'packages/server-stubs/scripts/soak.ts',
    command: 'npm run soak',
  },
  {
    goal: '100,000 hostile requests to the stubs cause no 5xx, no hang, no unhandled rejection and no memory growth',
    file: 'packages/server-stubs/test/fuzz.test.ts',
    command: 'npm run soak; 5,000 of them in npm test',
  },
  {
    goal: 'Server processes that are killed or frozen lose nothing that was acknowledged',
    file: 'packages/server/test/histories/file-store.test.ts',
    command: 'npm test',
  },
  {
    goal: 'Behind a proxy that resets, delays, truncates, reorders and repeats data, the client executes no call twice and never hangs',
    file: 'packages/client/test/faults-through-a-proxy.test.ts',
    command: 'npm test; 5,000 runs in npm run soak',
  },
  {
    goal: "The client's bundle size, and the modules that a bundle must not contain",
    file: 'packages/client/test/sizes.test.ts',
    command: 'npm test',
  },
  {
    goal: 'The right rule finds every mutant of the reference server, and the correct server passes 50 times in a row under load',
    file: 'packages/proof/scripts/soak.ts',
    command: 'npm run soak; a part of them in npm test',
  },
];

const INTRODUCTION = `# Performance

This page is written by \`npm run bench -- --page docs/reference/performance.md\`, which measures Berth and other tools
(peers) alternately, in one run on one machine. Absolute figures depend on the machine, so compare the ratios, each of
which is the median of all pairs (\`runs\`). \`requests/CPU s\` is the number of requests per second of the server's CPU
time, and \`CPU µs\` is the caller's CPU time. The peers and their tasks are defined in \`packages/bench/src\`.`;

/**
 * Renders `docs/reference/performance.md`.
 *
 * @param figures everything that the suites measure
 * @param rows the results, with date and machine
 * @returns Markdown with links relative to `docs/reference`
 */
export function toPage(figures: readonly Figure[], rows: readonly DatedRow[]): string {
  const dates = [...new Set(rows.map(({ date }) => date.slice(0, 10)))].sort();
  const machines = [...new Set(rows.map(({ machine }) => machine))];
  const held = checkedByTests.map(
    ({ goal, file, command }) => `| ${goal} | [\`${file}\`](../../${file}) | ${command} |`,
  );
  return `${INTRODUCTION}

${dates.join(' and ')}, on ${machines.join('; ')}: ${toSummary(figures, rows)}.

${toTable(figures, rows)}

A goal \`>= 2\` means at least twice the peer's figure, \`<= 1.2\` at most 1.2 times it. A limit is a fixed number instead
of a peer. nginx, direct calls to the service and the sizes of other clients are shown for comparison only.

## Goals checked by tests

| Goal | Test | Command |
| --- | --- | --- |
${held.join('\n')}
`;
}
