import contract from '@berth/spec/rules.json' with { type: 'json' };

/** What became of one mutant. */
export interface MutantRow {
  /** Its place in the list of mutants. */
  index: number;
  rule: string;
  breaks: string;
  companions: readonly string[];
  /** The check of its rule failed. */
  caught: boolean;
  /** Rules that failed and are neither its own nor companions. */
  strangers: readonly string[];
  /** The suite's engine Dredd, with its own judgement, found something. */
  engine?: boolean;
  /** Dredd alone found something that it does not find at the sound server. */
  dredd?: boolean;
}

/**
 * The page that shows what is found, and by what.
 *
 * @param outside how many faults from outside there are
 */
export function toMutantsPage(rows: readonly MutantRow[], outside: number): string {
  const count = (test: (row: MutantRow) => boolean | undefined) => rows.filter(test).length;
  const mark = (holds: boolean | undefined) => (holds ? 'yes' : '–');
  const lines = rows.map(({ rule, breaks, companions, caught, strangers, dredd, engine }) => {
    const others = [...companions, ...strangers].map((id) => `\`${id}\``).join(' ');
    const text = breaks.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('{', '&#123;');
    return `| \`${rule}\` | ${text} | ${mark(caught)} | ${others} | ${mark(engine)} | ${mark(dredd)} |`;
  });
  return `# What the conformance suite finds

Measured by \`npm run soak\` in \`packages/proof\`. Each row is a mutant: the reference server behind a proxy
that breaks its behaviour on the wire for one rule of the rule set ${contract.version}. The sound server
passes every rule.

| | Mutants found |
| --- | --- |
| The suite, by the right rule | ${count(({ caught }) => caught)} of ${rows.length} |
| Of these by no other rule | ${count(({ caught, strangers, companions }) => caught && strangers.length + companions.length === 0)} |
| By its engine Dredd, which judges the documented calls by the whole contract | ${count(({ engine }) => engine)} |
| Dredd alone | ${count(({ dredd }) => dredd)} |

Dredd alone is Dredd 14.1 with the OpenAPI 3.0 copy, the documented successes and hooks that add the
credentials and have the hosted service answer with the example. What fails for a sound server too is not
counted. ${outside} more faults of real gateways, proxies and object stores, written from the rules alone
without a look at the checks, are each held to the rule that they break by \`npm test\`.

| Rule | What is broken | Found | Fails with it | Engine Dredd | Dredd alone |
| --- | --- | --- | --- | --- | --- |
${lines.join('\n')}
`;
}
