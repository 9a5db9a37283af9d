import { createTerminal } from './create-terminal.ts';
import { runCli } from './run-cli.ts';
import { stopOnSignal } from './stop-on-signal.ts';

/** Exit code of a fault of the suite itself; Node's own, 1, says that the deployment is at fault. */
const FAULT = 4;

/** Runs the command line of this process. */
export async function main(): Promise<number> {
  const { stdout, stderr, env, argv } = process;
  const isWatched = stdout.isTTY === true && stderr.isTTY === true && !env.CI;
  const output = createTerminal(stdout, stderr, isWatched);
  // Whoever reads may stop, as `| head` does; the reports are written all the same.
  for (const stream of [stdout, stderr]) stream.on('error', () => {});
  process.on('uncaughtException', (error) => {
    // The message may hold a credential; the frames cannot.
    const frames = error.stack?.match(/^ +at .*$/gm) ?? [];
    stderr.write(
      `${[`berth-conformance: fault of the suite: ${error.name}`, ...frames].join('\n')}\n`,
    );
    process.exit(FAULT);
  });
  return runCli(argv.slice(2), { output, env, signal: stopOnSignal() });
}
