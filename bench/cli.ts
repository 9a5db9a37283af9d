// `npm run bench [-- SUITE …]`: benchmarks Berth beside its peers, and prints the median ratios.
import { Command, InvalidArgumentError } from 'commander';
import { type Row, type Suite, toTable } from './compare.ts';
import { stopAll } from './processes.ts';
import { clientSuite } from './suites/client.ts';
import { filesSuite } from './suites/files.ts';
import { gatewaySuite } from './suites/gateway.ts';
import { mockSuite } from './suites/mock.ts';
import { stubsSuite } from './suites/stubs.ts';

const SUITES = [stubsSuite, gatewaySuite, clientSuite, filesSuite, mockSuite];
const NAMES = SUITES.map(({ name }) => name).join(', ');

/** Exit codes after a signal: 128 plus its number. */
const CODES = { SIGINT: 130, SIGTERM: 143 };

const program = new Command('npm run bench --')
  .description('Benchmark Berth against comparable tools and print the median ratios.')
  .argument('[suite...]', `suites to run: ${NAMES}`, [])
  .option('--runs <count>', 'pairs to measure; three times as many of CPU rates', toCount, 5)
  .addHelpText(
    'after',
    `\n${SUITES.map(({ name, description }) => `${name}: ${description}`).join('\n')}

Exit codes: 0 success; 1 a suite failed; 2 invalid command line; 130 and 143 ended by
SIGINT or SIGTERM.`,
  )
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))
  .parse();

const names: readonly string[] = program.processedArgs[0];
const unknown = names.find((name) => !SUITES.some((suite) => suite.name === name));
if (unknown !== undefined) program.error(`error: unknown suite ${unknown}: choose from ${NAMES}`);

const stopped = stopOnSignal();
const chosen = SUITES.filter(({ name }) => names.length === 0 || names.includes(name));
const rows: Row[] = [];
for (const suite of chosen) rows.push(...(await runSuite(suite)));
process.stdout.write(`${toTable(rows)}\n`);

/** Runs a suite. If it fails, it has no figures, but the other suites still run. */
async function runSuite({ name, description, run }: Suite): Promise<Row[]> {
  process.stderr.write(`${name}: ${description} …\n`);
  try {
    return await run(program.opts<{ runs: number }>().runs);
  } catch (error) {
    // The processes of a suite are killed on a signal, so do not start another one.
    if (stopped.aborted) return new Promise(() => {});
    process.stderr.write(`${name} failed: ${(error as Error).stack}\n`);
    process.exitCode = 1;
    return [];
  }
}

/** On SIGINT and SIGTERM, stops every process that the bench has started, then the bench itself. */
function stopOnSignal(): AbortSignal {
  const controller = new AbortController();
  for (const [name, code] of Object.entries(CODES)) {
    process.on(name, async () => {
      // Terminals and npm often send one signal twice: to the group, and to the process.
      if (controller.signal.aborted) return;
      controller.abort();
      await stopAll();
      process.exit(code);
    });
  }
  return controller.signal;
}

function toCount(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count > 0) return count;
  throw new InvalidArgumentError('It must be an integer of at least 1.');
}
