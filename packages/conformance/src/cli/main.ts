import { runCli } from './run-cli.ts';
import { createTerminal } from './terminal.ts';

/** Terminals and npm often send one signal twice: to the group, and to the process. */
const ECHO_MILLISECONDS = 500;

/** Exit code of a process that a signal has ended: 128 and the number of SIGINT. */
const INTERRUPTED = 130;
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

/** A signal that SIGINT or SIGTERM aborts; one that comes after its echo ends the process at once. */
function stopOnSignal(): AbortSignal {
  const controller = new AbortController();
  let since = 0;
  const stop = () => {
    if (controller.signal.aborted && performance.now() - since > ECHO_MILLISECONDS) {
      process.exit(INTERRUPTED);
    }
    if (controller.signal.aborted) return;
    since = performance.now();
    controller.abort();
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  return controller.signal;
}
