import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findMissingEngines } from './engines.mjs';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

const BIN = join('node_modules', '.bin');
const PATHS = process.env.PATH.split(delimiter);

/** The machine's own tools, without those that `npm run` adds to PATH, and without telemetry. */
const MACHINE = {
  ...process.env,
  PATH: PATHS.filter((path) => !path.endsWith(BIN)).join(delimiter),
  DO_NOT_TRACK: '1',
  NO_UPDATE_NOTIFIER: '1',
  REDOCLY_TELEMETRY: 'off',
  SCARF_ANALYTICS: 'false',
  TURBO_TELEMETRY_DISABLED: '1',
};

/** The tools of this repository first, including Node 24. */
const REPOSITORY = {
  ...MACHINE,
  PATH: [join(ROOT, BIN), ...PATHS].join(delimiter),
};

/**
 * Runs a command with the tools of this repository, and forwards the terminal and signals to it.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string }} [options]
 * @returns {Promise<number>} the exit code, or 128 plus the number of the signal that ended it
 */
export function run(command, args, { cwd = ROOT } = {}) {
  // Part of the cache key, because tests that were skipped must run once their engine is installed.
  const env = { ...REPOSITORY, BERTH_MISSING_ENGINES: findMissingEngines().join(' ') };
  return start(command, args, { cwd, env });
}

/**
 * Like `run`, but with the machine's own tools, for an installer that replaces those of the repository.
 * Uses a separate process group, because npm starts it through a shell, which does not forward signals.
 */
export function runOnMachine(command, args) {
  const detached = process.platform !== 'win32';
  return start(command, args, { cwd: ROOT, env: MACHINE, detached });
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

function start(command, args, options) {
  // Listen before the child starts, because a signal in between would only end this process.
  let child;
  const forward = (signal) => {
    // Few tools end their children on SIGHUP.
    const sent = signal === 'SIGHUP' ? 'SIGTERM' : signal;
    if (options.detached && child.pid !== undefined) killGroup(child.pid, sent);
    else child.kill(sent);
  };
  for (const signal of SIGNALS) process.on(signal, forward);
  child = spawn(command, args, {
    ...options,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      for (const name of SIGNALS) process.off(name, forward);
      resolve(code ?? 128 + constants.signals[signal]);
    });
  });
}

function killGroup(pid, signal) {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

/** How often to check whether npm has exited, in milliseconds. */
const PARENT_MILLISECONDS = 250;

/**
 * Ends this process with SIGTERM when npm has exited, because npm forwards neither SIGHUP nor SIGKILL.
 * For scripts that start with `exec`: a shell in between would not forward the other signals.
 */
export function endWithNpm() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const npm = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === npm) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, PARENT_MILLISECONDS);
  timer.unref();
}

/** Runs a TypeScript file from source, with this repository's own Node. */
export function runSource(file, args, options) {
  return run('node', ['--conditions=berth-source', join(ROOT, file), ...args], options);
}

/** Runs tasks in `turbo.json`. */
export function turbo(...args) {
  return run('turbo', ['run', ...args]);
}

/**
 * Lists the folders of the workspace packages. `spec` comes first, because everything else is generated
 * from it.
 */
export function listWorkspaces() {
  const packages = readdirSync(join(ROOT, 'packages')).map((name) => `packages/${name}`);
  return ['spec', 'docs', ...packages].filter((folder) =>
    existsSync(join(ROOT, folder, 'package.json')),
  );
}

const IMPORTERS = ['packages', 'spec', 'docs', 'scripts', 'bench'];

/** Checks what does not belong to one package: code of the root, imports and dead code. */
export async function lint() {
  const root = ['package.json', 'vitest.config.ts', 'scripts', 'bench', '.dependency-cruiser.mjs'];
  const code = await run('biome', ['check', '--error-on-warnings', ...root]);
  return (
    code ||
    (await run('depcruise', ['--config', '.dependency-cruiser.mjs', ...IMPORTERS])) ||
    run('knip', [])
  );
}
