// `npm run pack -- FOLDER [PACKAGE…]`: builds the published packages, or those that are named and what they
// depend on, writes their tarballs to a folder, and prints the commands that install them.
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { listWorkspaces, ROOT, turbo } from './process.mjs';

/** All packages that are not private, with their manifests; the contract comes first. */
export function listPublished() {
  return listWorkspaces()
    .map((folder) => ({ folder: join(ROOT, folder), manifest: readManifest(folder) }))
    .filter(({ manifest }) => manifest.private !== true);
}

function readManifest(folder) {
  return JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
}

/** Packs a built package as it would be published, and returns the path of the tarball. */
export function pack(folder, destination) {
  const args = ['pack', '--json', '--pack-destination', destination];
  const output = execFileSync('pnpm', args, { cwd: folder, encoding: 'utf8' });
  return JSON.parse(output).filename;
}

/**
 * Returns the exit code.
 *
 * @param {readonly string[]} args
 */
export async function packAll([folder, ...chosen]) {
  const published = new Map(listPublished().map((each) => [each.manifest.name, each]));
  const names = [...published.keys()];
  const unknown = chosen.find((name) => !published.has(name));
  if (folder === undefined || folder.startsWith('-') || unknown !== undefined) {
    if (unknown !== undefined) console.error(`No package ${unknown} is published.`);
    console.error(`Usage: npm run pack -- FOLDER [PACKAGE…]\nPackages: ${names.join(', ')}`);
    return 2;
  }
  // None of them is on a registry yet, so each is installed together with what it depends on.
  const together = (name) => {
    const needed = Object.keys(published.get(name).manifest.dependencies ?? {});
    return [name, ...needed.filter((each) => published.has(each)).flatMap(together)];
  };
  const groups = (chosen.length > 0 ? chosen : names).map((name) => [...new Set(together(name))]);
  const wanted = [...new Set(groups.flat())];
  const filters = wanted.map((name) => `--filter=${name}`);
  const code = await turbo('build', '--output-logs=errors-only', ...filters);
  if (code !== 0) return 1;
  const files = new Map();
  for (const name of wanted) {
    const file = pack(published.get(name).folder, resolve(folder));
    files.set(name, file);
    console.log(`${`${Math.ceil(statSync(file).size / 1000)}`.padStart(6)} kB  ${basename(file)}`);
  }
  for (const group of groups) {
    const paths = group.map((name) => `'${files.get(name).replaceAll("'", "'\\''")}'`);
    console.log(`\n# ${group[0]}\nnpm install ${paths.join(' ')}`);
  }
  return 0;
}
