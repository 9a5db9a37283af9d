import { Command, CommanderError } from 'commander';
import { isBerthError } from '../errors.ts';
import { CONTRACT } from '../generated/contract.gen.ts';
import { addCp } from './commands/cp.ts';
import { addCall, addTail } from './commands/gateway.ts';
import { addMv, addRm, addUrl } from './commands/storage.ts';
import { Failure, STOPPED, toPlainError } from './output.ts';
import { readPackageInfo } from './package-info.ts';
import { SETTINGS } from './settings.ts';

const MORE = `
Settings come from variables, or from a file in YAML or JSON with the names in brackets: --config, else
BERTH_CONFIG, else ~/.config/berth/config.yaml. A file with secrets must be readable for you alone.
${Object.entries(SETTINGS)
  .map(([name, [variable, text]]) => `  ${variable.padEnd(22)} ${text} (${name})`)
  .join('\n')}

Examples:
  berth cp ./site remote:/site --list site.ndjson  uploads a folder; again, it goes on where it ended
  berth cp remote:/site ./copy --list site.ndjson  downloads what the list names
  berth cp remote:/a.txt -                         prints a file
  berth url remote:/a.txt --max-age 600
  berth call hello greet -X POST -d '{"name":"Ada"}'
  berth tail hello news

Exit codes:
  0  done
  1  the work failed, or a part of it
  2  it could not begin: a wrong argument, option or setting`;

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Runs the command line and sets the exit code. */
export async function run(argv: string[]): Promise<void> {
  // Who reads the output may have seen enough: `berth tail … | head`.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    throw error;
  });
  const stop = new AbortController();
  const onSignal = () => stop.abort(STOPPED);
  for (const name of SIGNALS) process.once(name, onSignal);
  try {
    await createProgram(stop.signal).parseAsync(argv);
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : 2;
      return;
    }
    process.exitCode = error instanceof Failure ? error.exitCode : isWrongInput(error) ? 2 : 1;
    if (argv.includes('--json')) {
      process.stdout.write(`${JSON.stringify({ error: toPlainError(error) })}\n`);
    } else {
      process.stderr.write(`berth: ${toText(error)}\n`);
    }
  } finally {
    for (const name of SIGNALS) process.off(name, onSignal);
  }
}

/** The command line. */
function createProgram(signal: AbortSignal): Command {
  const { documents } = CONTRACT;
  const program = new Command('berth')
    .description('Files of the storage API, and calls to hosted services.')
    .version(
      `${readPackageInfo().version} (gateway ${documents['gateway.v1'].version}, storage ${documents['storage.v2'].version}, contract ${CONTRACT.sha256.slice(0, 12)})`,
    )
    .exitOverride()
    .addHelpText('after', MORE);
  for (const add of [addCp, addUrl, addRm, addMv, addCall, addTail]) {
    add(program, signal)
      .option('-c, --config <file>', 'settings in YAML or JSON')
      .option('--json', 'print JSON, errors included')
      .option('-q, --quiet', 'no progress, no notes, no list of what was done');
  }
  return program;
}

/** The library refuses wrong input so, before anything is sent. */
function isWrongInput(error: unknown): boolean {
  return error instanceof TypeError || error instanceof RangeError;
}

/** An error that is neither ours nor of the platform is a fault of the program: its stack helps. */
function toText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isKnown = error instanceof Failure || isBerthError(error) || isWrongInput(error);
  return isKnown || 'code' in error ? error.message : (error.stack ?? error.message);
}
