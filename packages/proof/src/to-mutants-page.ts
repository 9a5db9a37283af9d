import contract from '@berth/spec/rules.json' with { type: 'json' };

export interface MutantRow {
  /** Index in the list of mutants. */
  index: number;
  rule: string;
  breaks: string;
  companions: readonly string[];
  /** Whether the check of its rule failed. */
  caught: boolean;
  /** Other rules that failed and are not companions. */
  unrelated: readonly string[];
  /** Whether the suite's Dredd engine found something. */
  engine?: boolean;
  /** Whether Dredd alone found something that it does not find on the correct server. */
  dredd?: boolean;
}

/**
 * Renders the page that lists the mutants and what detects them.
 *
 * @param outside number of mutants that were written without reading the checks
 */
export function toMutantsPage(rows: readonly MutantRow[], outside: number): string {
  const count = (test: (row: MutantRow) => boolean | undefined) => rows.filter(test).length;
  const mark = (holds: boolean | undefined) => (holds ? 'yes' : '–');
  const lines = rows.map(({ rule, breaks, companions, caught, unrelated, dredd, engine }) => {
    const others = [...companions, ...unrelated].map((id) => `\`${id}\``).join(' ');
    const text = breaks.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('{', '&#123;');
    return `| \`${rule}\` | ${text} | ${mark(caught)} | ${others} | ${mark(engine)} | ${mark(dredd)} |`;
  });
  return `# What the conformance suite finds

This page is written by \`npm run soak\` in \`packages/proof\`. Each row is a mutant: the reference server behind a proxy
that breaks one rule of rule set ${contract.version}. The server itself passes every rule.

| | Mutants found |
| --- | --- |
| By the suite, with the right rule | ${count(({ caught }) => caught)} of ${rows.length} |
| By the suite, with no other rule | ${count(({ caught, unrelated, companions }) => caught && unrelated.length + companions.length === 0)} |
| By the Dredd engine of the suite, which compares the documented calls with the contract | ${count(({ engine }) => engine)} |
| By Dredd alone | ${count(({ dredd }) => dredd)} |

Dredd alone is Dredd 14.1 with the OpenAPI 3.0 copy, the documented successes, and hooks that add credentials
and make the hosted service return the example. Findings that also occur on the correct server are not counted.

Another ${outside} mutants reproduce faults of real gateways, proxies and object stores. They were written from the
rules alone, without looking at the checks. \`npm test\` verifies that each of them fails the rule that it breaks.

| Rule | Fault | Found | Other failures | Engine Dredd | Dredd alone |
| --- | --- | --- | --- | --- | --- |
${lines.join('\n')}
`;
}
