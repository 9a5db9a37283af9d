import type { SourceMutantRow } from './check-source-mutant.ts';
import type { SourceMutants } from './run-source-mutants.ts';
import { SURVIVOR_KINDS, SURVIVORS, toScore } from './survivors.ts';

/** Renders the section about mutants of the source code. */
export function toSourceSection({ rows, total, seed }: SourceMutants): string {
  const { found, missed, score } = toScore(rows);
  const count = (wanted: SourceMutantRow['verdict']) =>
    rows.filter(({ verdict }) => verdict === wanted).length;
  const passed = Object.entries(SURVIVOR_KINDS).map(([kind, { name, title }]) => {
    const keys = new Set(
      SURVIVORS.filter((each) => each.kind === kind).flatMap((each) => each.keys),
    );
    const number = rows.filter((row) => isPassed(row) && keys.has(row.key)).length;
    return `| Every check passes: **${name}**. ${title}. | ${number} |`;
  });
  return `## Mutants of the source code

[Stryker](https://stryker-mutator.io) changes the source code of the reference server: ${rows.length} of ${total} changes to the
files that implement the contract were chosen at random (seed ${seed}). The suite sees each only over HTTP, in a normal run
with Dredd, the workflows and the sequences. **Of the changes that a caller could see and that the contract forbids, it
finds ${found} of ${found + missed} (${(score * 100).toFixed(1)} %).** \`npm run mutate -- --help\` in \`packages/proof\` describes the command.

| Result | Mutants |
| --- | --- |
| A check fails | ${count('found')} |
| No check fails, but the run ends with 2, 3 or 4, because responses are missing or are all rejections | ${count('incomplete')} |
${passed.join('\n')}
| The server does not start, so there is nothing to check. | ${count('no-start')} |

These rules, workflows and documented calls found them: ${toTally(rows)}.

The suite passed these, for reasons that were found by reading the code.

| | Why | Mutants |
| --- | --- | --- |
${toReasons(rows).join('\n')}
`;
}

function isPassed({ verdict }: SourceMutantRow): boolean {
  return verdict === 'survived' || verdict === 'unreached';
}

/** Lists what failed, the most frequent first. */
function toTally(rows: readonly SourceMutantRow[]): string {
  const counts = new Map<string, number>();
  for (const { by } of rows) if (by) counts.set(by, (counts.get(by) ?? 0) + 1);
  return [...counts]
    .toSorted(([a, one], [b, other]) => other - one || a.localeCompare(b, 'en'))
    .map(([name, number]) => (number === 1 ? `\`${name}\`` : `\`${name}\` (${number})`))
    .join(', ');
}

function toReasons(rows: readonly SourceMutantRow[]): string[] {
  return SURVIVORS.flatMap(({ kind, reason, keys }) => {
    const own = rows.filter((row) => isPassed(row) && keys.includes(row.key));
    if (own.length === 0) return [];
    return [`| ${SURVIVOR_KINDS[kind].name} | ${reason} | ${own.map(toText).join('<br>')} |`];
  });
}

/** @example `engine/copy-files.ts:72` `error instanceof StoreFullError` → `false` */
function toText({ file, line, original, replacement }: SourceMutantRow): string {
  return `\`${file.replace('/src/', '/')}:${line}\` ${toCode(original)} → ${toCode(replacement)}`;
}

const LONGEST = 60;

function toCode(text: string): string {
  const plain = text.replace(/\s+/g, ' ');
  const short = plain.length > LONGEST ? `${plain.slice(0, LONGEST)}…` : plain;
  const escaped = short.replaceAll('|', '\\|');
  return escaped.includes('`') ? `\`\` ${escaped} \`\`` : `\`${escaped}\``;
}
