import { runCli } from '../../src/cli/run-cli.ts';

export interface Run {
  code: number;
  /** All output, including stderr. */
  output: string;
  lines: string[];
}

/** What a test configures around the command line. */
export interface Around {
  env?: Record<string, string>;
  signal?: AbortSignal;
  /** Called with each line as it is written. */
  onLine?: (line: string) => void;
}

/** Runs the command line in this process. */
export function run(...args: string[]): Promise<Run> {
  return runWithin({}, ...args);
}

/** Runs it with environment variables, and a signal that stops it. */
export async function runWithin(around: Around, ...args: string[]): Promise<Run> {
  const { env = {}, signal = new AbortController().signal, onLine = () => {} } = around;
  const lines: string[] = [];
  const push = (line: string) => {
    lines.push(line);
    onLine(line);
  };
  const code = await runCli(args, {
    output: { out: push, error: push, progress: () => {}, paint: (_, text) => text },
    env,
    signal,
  });
  return { code, output: lines.join('\n'), lines };
}

/** Runs it against one URL that serves both APIs. */
export function runAgainst(url: string, ...args: string[]): Promise<Run> {
  return run('--gateway-url', url, '--storage-url', url, ...args);
}
