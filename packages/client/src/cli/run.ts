import { CommanderError } from 'commander';
import { isBerthError } from '../errors.ts';
import { createProgram } from './create-program.ts';
import { Failure, STOPPED } from './failure.ts';
import { toPlainError } from './outcome.ts';

/** Runs the command line and sets the exit code. */
export async function run(argv: string[]): Promise<void> {
  // Who reads the output may have seen enough: `berth tail … | head`.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    throw error;
  });
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => stop.abort(STOPPED));
  }
  try {
    await createProgram(stop.signal).parseAsync(argv);
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : 2;
      return;
    }
    process.exitCode = error instanceof Failure ? error.exitCode : isWrongInput(error) ? 2 : 1;
    tell(error, argv.includes('--json'));
  }
}

function tell(error: unknown, isJson: boolean): void {
  if (!isJson) {
    process.stderr.write(`berth: ${toText(error)}\n`);
    return;
  }
  process.stdout.write(`${JSON.stringify({ error: toPlainError(error) })}\n`);
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
