import { runCli } from '../../src/cli/run-cli.ts';

interface Around {
  env?: Record<string, string>;
  signal?: AbortSignal;
  onLine?: (line: string) => void;
}

/** Runs the command line in this process. The output includes stderr. */
export async function runWithin(
  { env = {}, signal = new AbortController().signal, onLine = () => {} }: Around,
  ...args: string[]
): Promise<{ code: number; output: string; lines: string[] }> {
  const lines: string[] = [];
  const push = (line: string) => {
    lines.push(line);
    onLine(line);
  };
  const output = {
    out: push,
    error: push,
    progress: () => {},
    paint: (_: string, text: string) => text,
  };
  const code = await runCli(args, { output, env, signal });
  return { code, output: lines.join('\n'), lines };
}

export const run = (...args: string[]) => runWithin({}, ...args);

/** Runs it against one URL that serves both APIs. */
export const runAgainst = (url: string, ...args: string[]) =>
  run('--gateway-url', url, '--storage-url', url, ...args);
