import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, run } from './process.mjs';

const STAMP = join(ROOT, 'node_modules/.berth-install');
const SETTLED_BY = ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml'];

/**
 * Installs what is missing, with the pnpm that `packageManager` names; npm fetches it, so that a
 * machine needs no more than Node and npm. Does nothing where nothing has changed.
 */
export async function install() {
  const [major] = process.versions.node.split('.').map(Number);
  if (major < 20) fail(`Berth needs Node 20 or later, this is ${process.version}.`);
  const state = toState();
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === state) return;
  const { packageManager } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  console.log(`Installing with ${packageManager}; the first time takes about half a minute.`);
  const args = ['exec', '--yes', `--package=${packageManager}`, '--', 'pnpm', 'install'];
  const code = await run('npm', [...args, '--frozen-lockfile']);
  if (code !== 0)
    fail('The installation failed; the reason stands above. Is the registry reachable?');
  writeFileSync(STAMP, state);
}

function toState() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`);
  for (const file of SETTLED_BY) hash.update(readFileSync(join(ROOT, file)));
  return hash.digest('hex');
}

function fail(message) {
  console.error(message);
  process.exit(2);
}
