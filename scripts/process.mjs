import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The tools of this repository first (Node 24 among them), and none of them calls home. */
const ENV = {
  ...process.env,
  PATH: [join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter),
  DO_NOT_TRACK: '1',
  NO_UPDATE_NOTIFIER: '1',
  REDOCLY_TELEMETRY: 'off',
  SCARF_ANALYTICS: 'false',
  TURBO_TELEMETRY_DISABLED: '1',
};

/**
 * Runs a command to its end, hands the terminal and its signals to it, and gives its exit code
 * (128 + number where a signal ended it).
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string }} [options]
 * @returns {Promise<number>}
 */
export function run(command, args, { cwd = ROOT } = {}) {
  const child = spawn(command, args, {
    cwd,
    env: ENV,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  const forward = (signal) => child.kill(signal);
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, forward);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      for (const name of ['SIGINT', 'SIGTERM']) process.off(name, forward);
      resolve(code ?? (signal === 'SIGINT' ? 130 : 143));
    });
  });
}

/** Runs a TypeScript file of this repository on its own Node, from source. */
export function runSource(file, args, options) {
  return run('node', ['--conditions=berth-source', join(ROOT, file), ...args], options);
}

/** Runs tasks of `turbo.json`. */
export function turbo(...args) {
  return run('turbo', ['run', ...args]);
}
