// `npm run pack -- FOLDER [PACKAGE…]`: packs the published packages as tarballs, to use them before they
// are on a registry.
import { spawnSync } from 'node:child_process';
import { basename, resolve } from 'node:path';
import { Command } from 'commander';
import { listPublished, ROOT } from '../src/list-published.ts';
import { listTogether, pack, toInstallCommand } from '../src/tarball/pack.ts';

const published = listPublished();
const names = published.map(({ manifest }) => manifest.name);

const program = new Command('npm run pack --')
  .description(
    'Builds the published packages, writes their tarballs to a folder, and prints the commands that install them.',
  )
  .argument('<folder>', 'where to write the tarballs; created if it does not exist')
  .argument('[package...]', 'pack only these and their dependencies', [])
  .addHelpText(
    'after',
    `
Packages: ${names.join(', ')}

Examples:
  npm run pack -- ../berth-packages              all packages
  npm run pack -- ../berth-packages @berth/mock  the mock and its dependencies

Keep the folder: projects that install from it refer to its files in package.json.

Exit codes: 0 success; 1 a build or a tarball failed; 2 invalid command line.`,
  )
  .showHelpAfterError('For example: npm run pack -- ../berth-packages (see `--help` for more)')
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))
  .parse();

const [folder, chosen] = program.processedArgs as [string, string[]];
const unknown = chosen.find((name) => !names.includes(name));
if (unknown !== undefined) {
  program.error(`error: no package ${unknown} is published. Packages: ${names.join(', ')}`);
}

const wanted = chosen.length > 0 ? chosen : names;
const groups = wanted.map((name) => listTogether(name, published));
const packages = [...new Set(groups.flat())];

// Standard output is reserved for the commands to paste.
const { status } = spawnSync(
  'turbo',
  [
    ...['run', 'build', '--output-logs=errors-only', '--log-order=grouped'],
    ...packages.map(({ manifest }) => `--filter=${manifest.name}`),
  ],
  { cwd: ROOT, stdio: ['inherit', process.stderr, process.stderr] },
);
if (status !== 0) process.exit(1);

const tarballs = new Map(
  packages.map(({ folder: path, manifest }) => {
    const { file, bytes } = pack(resolve(ROOT, path), resolve(folder));
    return [manifest.name, { file, kilobytes: Math.ceil(bytes.length / 1000) }];
  }),
);
for (const { file, kilobytes } of tarballs.values()) {
  process.stdout.write(`${String(kilobytes).padStart(6)} kB  ${basename(file)}\n`);
}
process.stdout.write('\nIn an empty folder or a project with a package.json, install\n');
for (const group of groups) {
  const [name] = group.map(({ manifest }) => manifest.name);
  const files = group.map(({ manifest }) => tarballs.get(manifest.name)?.file ?? '');
  process.stdout.write(`\n# ${name}\n${toInstallCommand(files)}\n`);
}
