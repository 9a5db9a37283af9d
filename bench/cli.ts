// `npm run bench [-- SUITE …]`: benchmarks Berth beside its peers, and prints the median ratios. It needs Linux with
// at least two cores.
import { Argument, Command, InvalidArgumentError } from 'commander';
import { toCells, toLine } from './compare.ts';
import { clientSuite } from './suites/client.ts';
import { filesSuite } from './suites/files.ts';
import { gatewaySuite } from './suites/gateway.ts';
import { mockSuite } from './suites/mock.ts';
import { stubsSuite } from './suites/stubs.ts';

const SUITES = [stubsSuite, gatewaySuite, clientSuite, filesSuite, mockSuite];
const NAMES = SUITES.map(({ name }) => name);
const HEAD = ['suite', 'measure', 'ours', 'peer', 'peer is', 'runs', 'ratio', 'goal', 'met'];

// Processes that the bench has started are killed on exit.
process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));

const program = new Command('npm run bench --')
  .description('Benchmark Berth against comparable tools and print the median ratios.')
  .addArgument(new Argument('[suite...]', 'suites to run').choices(NAMES).default(NAMES, 'all'))
  .option('--runs <count>', 'pairs to measure; three times as many of CPU rates', toCount, 5)
  .addHelpText(
    'after',
    `\n${SUITES.map((suite) => `${suite.name}: ${suite.description}`).join('\n')}`,
  )
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))
  .parse();

process.stdout.write(toLine(HEAD) + toLine(HEAD.map(() => '---')));
for (const { name, run } of SUITES) {
  if (!program.processedArgs[0].includes(name)) continue;
  for (const row of await run(program.opts<{ runs: number }>().runs)) {
    process.stdout.write(toLine(toCells(row)));
  }
}

function toCount(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count > 0) return count;
  throw new InvalidArgumentError('It must be an integer of at least 1.');
}
