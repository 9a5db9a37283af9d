import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listWorkspaces, ROOT, runOnMachine } from './process.mjs';

const STAMP = join(ROOT, 'node_modules/.berth-install');
const MANIFESTS = ['.', ...listWorkspaces()].map((folder) => join(ROOT, folder, 'package.json'));
const SETTLED_BY = [
  ...MANIFESTS,
  ...['pnpm-lock.yaml', 'pnpm-workspace.yaml'].map((f) => join(ROOT, f)),
];

const EVERYTHING = {
  name: 'everything',
  duration: 'about half a minute',
  manifests: MANIFESTS,
  args: [],
};
/** What the mock needs to run from source, without development tools. */
const MOCK = {
  name: 'mock',
  duration: 'a few seconds',
  manifests: MANIFESTS.filter((file) => /packages[\\/](mock|storage|server-stubs)[\\/]/.test(file)),
  // 24 MB of JavaScript. The native pnpm in `packageManager`, and the registry data with which it
  // verifies the lockfile, are ten times as large. `--filter-prod` leaves out the development tools of
  // the mock's dependencies, `--no-optional` what only reads other people's documents.
  pnpm: 'pnpm@10.34.9',
  args: [
    ...['--prod', '--no-optional', '--filter-prod=@berth/mock...', '--loglevel=error'],
    // Use exactly this version, without update notices.
    ...['--config.manage-package-manager-versions=false', '--config.update-notifier=false'],
  ],
};

/**
 * Installs the dependencies if they have changed. npm fetches the pnpm version in `packageManager`, so
 * that a machine only needs Node and npm.
 */
export function install() {
  return installPart(EVERYTHING);
}

/** Installs what the mock needs, if it is missing or has changed. */
export function installMock() {
  // After a full installation, the smaller one would remove the tools.
  return installPart(existsSync(join(ROOT, 'node_modules/turbo')) ? EVERYTHING : MOCK);
}

async function installPart({ name, duration, manifests, pnpm, args }) {
  const { packageManager, engines } = readManifest(MANIFESTS[0]);
  const floor = engines.node.replace('>=', '');
  if (process.versions.node.localeCompare(floor, 'en', { numeric: true }) < 0) {
    fail(`Berth needs Node ${floor} or later; this is Node ${process.versions.node}.`);
  }
  const state = `${name} ${toState()}`;
  if (isCurrent(state) && manifests.every(isInstalled)) return;
  rmSync(STAMP, { force: true });
  const version = pnpm ?? packageManager;
  console.log(`Installing dependencies with ${version} (first run: ${duration}) …`);
  // Do not keep a copy of pnpm just to run the mock.
  const cache = pnpm && mkdtempSync(join(tmpdir(), 'berth-install-'));
  const code = await runOnMachine('npm', [
    ...['exec', '--yes', '--no-update-notifier', ...(cache ? [`--cache=${cache}`] : [])],
    ...[`--package=${version}`, '--', 'pnpm', 'install', '--frozen-lockfile'],
    // Each version of pnpm replaces the other's node_modules without asking.
    ...['--config.confirm-modules-purge=false', ...args],
  ]);
  if (cache) rmSync(cache, { recursive: true, force: true });
  if (code > 128) process.exit(code); // interrupted by a signal
  if (code !== 0) {
    fail('Installation failed (see the error above). Check that the npm registry is reachable.');
  }
  writeFileSync(STAMP, state);
}

function toState() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`);
  for (const file of SETTLED_BY) hash.update(readFileSync(file));
  return hash.digest('hex');
}

function isCurrent(state) {
  return existsSync(STAMP) && readFileSync(STAMP, 'utf8') === state;
}

function isInstalled(manifest) {
  const { dependencies, devDependencies } = readManifest(manifest);
  return !(dependencies || devDependencies) || existsSync(join(manifest, '../node_modules'));
}

function readManifest(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function fail(message) {
  console.error(message);
  process.exit(2);
}
