import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import type { Row } from './row.ts';
import { suites } from './suites.ts';
import { toTable } from './to-table.ts';

const program = new Command('npm run bench --')
  .description('Measures Berth and its peers in turn, in one run, and prints the median ratios.')
  .argument('[suite...]', `suites to run: ${suites.map(({ name }) => name).join(', ')}`, [])
  .option('--json <file>', 'also write the rows as JSON')
  .option('--runs <count>', 'pairs to measure', toCount, 5)
  .addHelpText(
    'after',
    `\n${suites.map(({ name, description }) => `${name}: ${description}`).join('\n')}`,
  )
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))
  .parse();

const { json, runs } = program.opts<{ json?: string; runs: number }>();
const names = program.processedArgs[0] as string[];
const unknown = names.find((name) => !suites.some((suite) => suite.name === name));
if (unknown) program.error(`error: there is no suite ${unknown}`);

const rows: Row[] = [];
for (const suite of suites.filter(({ name }) => names.length === 0 || names.includes(name))) {
  process.stderr.write(`${suite.name}: ${suite.description} …\n`);
  rows.push(...(await suite.run(runs)));
}
process.stdout.write(`${toTable(rows)}\n`);
if (json) {
  await mkdir(dirname(json), { recursive: true });
  await writeFile(json, `${JSON.stringify(rows, null, 2)}\n`);
}

function toCount(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count > 0) return count;
  throw new InvalidArgumentError('Give a whole number of at least 1.');
}
