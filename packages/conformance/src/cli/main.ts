import { runCli } from './run-cli.ts';
import { createTerminal } from './terminal.ts';

/** Terminals and npm often send one signal twice: to the group and to the process. */
const ECHO_MILLISECONDS = 500;

/** Exit code of a process ended by a signal: 128 plus the number of SIGINT. */
const INTERRUPTED = 130;
/** Exit code for a bug in the suite; Node's own, 1, would blame the deployment. */
const FAULT = 4;

export async function main(): Promise<number> {
  const { stdout, stderr, env, argv } = process;
  const output = createTerminal(stdout, stderr);
  // The reader may close the pipe early, as `| head` does; the reports are still written.
  for (const stream of [stdout, stderr]) stream.on('error', () => {});
  process.on('uncaughtException', (error) => {
    // The message may contain a credential; the stack frames cannot.
    const frames = error.stack?.match(/^ +at .*$/gm) ?? [];
    stderr.write(
      `${[`berth-conformance: bug in the suite: ${error.name}`, ...frames].join('\n')}\n`,
    );
    process.exit(FAULT);
  });
  return runCli(argv.slice(2), { output, env, signal: stopOnSignal() });
}

/**
 * Returns a signal that SIGINT or SIGTERM aborts; after that, any signal other than its echo exits
 * immediately.
 */
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
