import { styleText } from 'node:util';
import { describeBug, type Output, runCli } from './run-cli.ts';

export async function main(): Promise<number> {
  const { stdout, stderr, env, argv } = process;
  // The reader may close the pipe early, as `| head` does; the reports are still written.
  for (const stream of [stdout, stderr]) stream.on('error', () => {});
  process.on('uncaughtException', (error) => {
    stderr.write(`${describeBug(error as Error)}\n`);
    // Node's own code, 1, would blame the deployment.
    process.exit(2);
  });
  const output = createOutput(process);
  return runCli(argv.slice(2), { output, env, signal: stopOnSignal() });
}

/** On a terminal, progress is shown in the last line, which a notice or an error replaces. */
export function createOutput({ stdout, stderr }: Pick<NodeJS.Process, 'stdout' | 'stderr'>) {
  const clear = stderr.isTTY ? '\r\x1b[K' : '';
  const output: Output = {
    out: (line) => void stdout.write(`${line}\n`),
    error: (line) => void stderr.write(`${clear}${line}\n`),
    progress: (text) => void (stderr.isTTY && stderr.write(clear + text)),
    paint: (color, text) => styleText(color, text, { stream: stdout }),
  };
  return output;
}

/** Returns a signal that SIGINT or SIGTERM aborts; a second one exits immediately. */
function stopOnSignal(): AbortSignal {
  const controller = new AbortController();
  let since = 0;
  const stop = () => {
    if (!controller.signal.aborted) since = performance.now();
    // Terminals and npm often send one signal twice: to the group and to the process.
    else if (performance.now() - since > 500) process.exit(130);
    controller.abort();
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  return controller.signal;
}
