import { Command, CommanderError } from 'commander';
import { isBerthError } from '../errors.ts';
import { CONTRACT } from '../generated/contract.gen.ts';
import { SETTINGS } from './clients.ts';
import { addCall } from './commands/call.ts';
import { addCp } from './commands/cp.ts';
import { addMv, addRm, addUrl } from './commands/storage.ts';
import { Failure, STOPPED, toPlainError } from './output.ts';

const MORE = `
Settings are read from environment variables:
${Object.values(SETTINGS)
  .map(([variable, text]) => `  ${variable.padEnd(22)} ${text}`)
  .join('\n')}

Examples:
  berth cp ./site remote:/site   uploads a folder
  berth cp remote:/a.txt ./copy/
  berth cp remote:/a.txt -       prints a file
  berth url remote:/a.txt --max-age 600
  berth call hello greet -X POST -d '{"name":"Ada"}'

Exit codes:
  0  success
  1  at least one operation failed
  2  invalid argument, option or setting`;

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

export async function run(argv: string[], version: string): Promise<void> {
  // Whatever reads our output may close it early: `berth cp … - | head`.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    throw error;
  });
  const stop = new AbortController();
  const onSignal = () => stop.abort(STOPPED);
  for (const name of SIGNALS) process.once(name, onSignal);
  try {
    await createProgram(version, stop.signal).parseAsync(argv);
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

function createProgram(version: string, signal: AbortSignal): Command {
  const { documents } = CONTRACT;
  const program = new Command('berth')
    .description('Manage stored files and call hosted services.')
    .version(
      `${version} (gateway ${documents['gateway.v1'].version}, storage ${documents['storage.v2'].version}, contract ${CONTRACT.sha256.slice(0, 12)})`,
    )
    .exitOverride()
    .addHelpText('after', MORE);
  for (const add of [addCp, addUrl, addRm, addMv, addCall]) {
    add(program, signal)
      .option('--json', 'print output and errors as JSON')
      .option('-q, --quiet', 'do not print progress, notes or the names of copied files');
  }
  return program;
}

/** Returns whether the library threw this error for invalid input, before it sent anything. */
function isWrongInput(error: unknown): boolean {
  return error instanceof TypeError || error instanceof RangeError;
}

/** Returns the message of a known error. Any other error is a bug, so its stack is shown. */
function toText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isKnown = error instanceof Failure || isBerthError(error) || isWrongInput(error);
  return isKnown || 'code' in error ? error.message : (error.stack ?? error.message);
}
