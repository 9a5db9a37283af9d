import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';

const PACKAGE = createRequire(import.meta.url).resolve('@redocly/cli/package.json');
const CLI = join(dirname(PACKAGE), 'bin/cli.js');

/** Runs the pinned Redocly CLI in the contract's folder, without telemetry. */
export async function redocly(...args: string[]) {
  const child = spawn(process.execPath, [CLI, ...args], {
    cwd: join(import.meta.dirname, '..'),
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { exitCode: Number(code ?? 1), stdout, stderr };
}
