import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT, runOnMachine } from './process.mjs';
import { listWorkspaces } from './workspaces.mjs';

const STAMP = join(ROOT, 'node_modules/.berth-install');
const MANIFESTS = ['.', ...listWorkspaces()].map((folder) => join(ROOT, folder, 'package.json'));
const SETTLED_BY = [
  ...MANIFESTS,
  ...['pnpm-lock.yaml', 'pnpm-workspace.yaml'].map((f) => join(ROOT, f)),
];

/** What is installed, and how. */
const EVERYTHING = {
  name: 'everything',
  duration: 'about half a minute',
  manifests: MANIFESTS,
  args: [],
};
/** The packages that the mock runs on from source, without development tools. */
const MOCK = {
  name: 'mock',
  duration: 'some seconds',
  manifests: MANIFESTS.filter((file) => /packages[\\/](mock|server-stubs)[\\/]/.test(file)),
  // JavaScript of 24 MB; the native pnpm of `packageManager` and the registry data that it verifies the
  // lockfile with are ten times as large. `--filter-prod` leaves out the development tools of what the mock
  // depends on.
  pnpm: 'pnpm@10.34.9',
  args: [
    ...['--prod', '--filter-prod=@berth/mock...', '--loglevel=error'],
    // It is the one to run, and nobody is asked to update it.
    ...['--config.manage-package-manager-versions=false', '--config.update-notifier=false'],
  ],
};

/**
 * Installs what is missing, with the pnpm that `packageManager` names; npm fetches it, so that a
 * machine needs no more than Node and npm. Does nothing where nothing has changed.
 */
export function install() {
  return installPart(EVERYTHING);
}

/** Installs what the mock needs, or does nothing where that, or everything, is installed. */
export function installMock() {
  // If everything was installed, this would take the tools away again.
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
  console.log(`Installing with ${version}; the first time takes ${duration}.`);
  // Who starts the mock alone has no use for a copy of pnpm.
  const cache = pnpm && mkdtempSync(join(tmpdir(), 'berth-install-'));
  const code = await runOnMachine('npm', [
    ...['exec', '--yes', '--no-update-notifier', ...(cache ? [`--cache=${cache}`] : [])],
    ...[`--package=${version}`, '--', 'pnpm', 'install', '--frozen-lockfile'],
    // Each of the two versions makes its own node_modules: it need not ask whether to replace the other's.
    ...['--config.confirm-modules-purge=false', ...args],
  ]);
  if (cache) rmSync(cache, { recursive: true, force: true });
  if (code > 128) process.exit(code); // a signal: whoever sent it knows why
  if (code !== 0) {
    fail('The installation failed; the reason stands above. Is the registry reachable?');
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
