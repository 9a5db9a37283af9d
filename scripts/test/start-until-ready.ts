import { type ChildProcess, spawn } from 'node:child_process';

/** Starts a command that prints `ready`, and returns what it prints until then. */
export async function startUntilReady(
  command: string,
  args: readonly string[],
  options: { cwd: string; env?: NodeJS.ProcessEnv },
): Promise<{ child: ChildProcess; output: string }> {
  const child = spawn(command, args, { stdio: 'pipe', ...options });
  let output = '';
  await new Promise<void>((resolve, reject) => {
    child.on('error', reject).on('close', () => reject(new Error(output)));
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
        if (/^ready\r?$/m.test(output)) resolve();
      });
    }
  });
  return { child, output };
}
