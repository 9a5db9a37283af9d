import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findMissingEngines } from './engines.mjs';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

const BIN = join('node_modules', '.bin');
const PATHS = process.env.PATH.split(delimiter);

/** The tools of the machine, without those that `npm run` puts before them. None calls home. */
const MACHINE = {
  ...process.env,
  PATH: PATHS.filter((path) => !path.endsWith(BIN)).join(delimiter),
  DO_NOT_TRACK: '1',
  NO_UPDATE_NOTIFIER: '1',
  REDOCLY_TELEMETRY: 'off',
  SCARF_ANALYTICS: 'false',
  TURBO_TELEMETRY_DISABLED: '1',
};

/** The tools of this repository first, Node 24 among them. */
const REPOSITORY = {
  ...MACHINE,
  PATH: [join(ROOT, BIN), ...PATHS].join(delimiter),
};

/**
 * Runs a command to its end with the tools of this repository, hands the terminal and its signals to
 * it, and gives its exit code (128 + number where a signal ended it).
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string }} [options]
 * @returns {Promise<number>}
 */
export function run(command, args, { cwd = ROOT } = {}) {
  // Tests that were skipped without an engine must not come from the cache when it is there.
  const env = { ...REPOSITORY, BERTH_MISSING_ENGINES: findMissingEngines().join(' ') };
  return start(command, args, { cwd, env });
}

/** The same with the machine's own tools: what installs must not run on what it replaces. */
export function runOnMachine(command, args) {
  return start(command, args, { cwd: ROOT, env: MACHINE });
}

function start(command, args, options) {
  const child = spawn(command, args, {
    ...options,
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
