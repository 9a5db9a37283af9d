import { runCli } from '../../src/cli/run-cli.ts';

export interface Run {
  code: number;
  /** All that was written, the error stream included. */
  output: string;
  lines: string[];
}

/** Runs the command line in this process. */
export async function run(...args: string[]): Promise<Run> {
  const lines: string[] = [];
  const push = (line: string) => lines.push(line);
  const code = await runCli(args, { out: push, error: push });
  return { code, output: lines.join('\n'), lines };
}

/** Runs it against one address that serves both APIs. */
export function runAgainst(url: string, ...args: string[]): Promise<Run> {
  return run('--gateway-url', url, '--storage-url', url, ...args);
}
