import { styleText } from 'node:util';
import { describeBug, type Output, runCli } from './run-cli.ts';

/** Terminals and npm often send one signal twice: to the group and to the process. */
const ECHO_MILLISECONDS = 500;

/** Exit code of a process ended by a signal: 128 plus the number of SIGINT. */
const INTERRUPTED = 130;

export async function main(): Promise<number> {
  const { stdout, stderr, env, argv } = process;
  // The reader may close the pipe early, as `| head` does; the reports are still written.
  for (const stream of [stdout, stderr]) stream.on('error', () => {});
  process.on('uncaughtException', (error) => {
    stderr.write(`${describeBug(error as Error)}\n`);
    // Node's own code, 1, would blame the deployment.
    process.exit(2);
  });
  const output: Output = {
    out: (line) => void stdout.write(`${line}\n`),
    error: (line) => void stderr.write(`${line}\n`),
    progress: (text) => void (stderr.isTTY && stderr.write(`\r\x1b[K${text}`)),
    paint: (color, text) => styleText(color, text, { stream: stdout }),
  };
  return runCli(argv.slice(2), { output, env, signal: stopOnSignal() });
}

/** Returns a signal that SIGINT or SIGTERM aborts; a second one, except for an echo, exits immediately. */
function stopOnSignal(): AbortSignal {
  const controller = new AbortController();
  let since = 0;
  const stop = () => {
    if (!controller.signal.aborted) since = performance.now();
    else if (performance.now() - since > ECHO_MILLISECONDS) process.exit(INTERRUPTED);
    controller.abort();
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  return controller.signal;
}
