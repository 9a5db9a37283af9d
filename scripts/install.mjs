import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, runOnMachine } from './process.mjs';
import { listWorkspaces } from './workspaces.mjs';

const STAMP = join(ROOT, 'node_modules/.berth-install');
const MANIFESTS = ['.', ...listWorkspaces()].map((folder) => join(ROOT, folder, 'package.json'));
const SETTLED_BY = [
  ...MANIFESTS,
  ...['pnpm-lock.yaml', 'pnpm-workspace.yaml'].map((f) => join(ROOT, f)),
];

/**
 * Installs what is missing, with the pnpm that `packageManager` names; npm fetches it, so that a
 * machine needs no more than Node and npm. Does nothing where nothing has changed.
 */
export async function install() {
  const [major] = process.versions.node.split('.').map(Number);
  if (major < 20) fail(`Berth needs Node 20 or later, this is ${process.version}.`);
  const state = toState();
  if (isInstalled(state)) return;
  rmSync(STAMP, { force: true });
  const { packageManager } = readManifest(MANIFESTS[0]);
  console.log(`Installing with ${packageManager}; the first time takes about half a minute.`);
  const args = ['exec', '--yes', `--package=${packageManager}`, '--', 'pnpm', 'install'];
  const code = await runOnMachine('npm', [...args, '--frozen-lockfile']);
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

function isInstalled(state) {
  if (!existsSync(STAMP) || readFileSync(STAMP, 'utf8') !== state) return false;
  return MANIFESTS.every((file) => {
    const { dependencies, devDependencies } = readManifest(file);
    return !(dependencies || devDependencies) || existsSync(join(file, '../node_modules'));
  });
}

function readManifest(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function fail(message) {
  console.error(message);
  process.exit(2);
}
