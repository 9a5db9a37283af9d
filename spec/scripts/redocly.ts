import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const PACKAGE = createRequire(import.meta.url).resolve('@redocly/cli/package.json');
const CLI = join(dirname(PACKAGE), 'bin/cli.js');

/** The result of running the Redocly CLI. */
export type RedoclyRun = { exitCode: number; stdout: string; stderr: string };

/** Runs the pinned Redocly CLI in the contract's folder, without telemetry. */
export function redocly(...args: string[]): Promise<RedoclyRun> {
  const child = spawn(process.execPath, [CLI, ...args], {
    cwd: join(import.meta.dirname, '..'),
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ exitCode: code ?? 1, stdout, stderr }));
  });
}
