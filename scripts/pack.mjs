// `npm run pack -- FOLDER`: builds the published packages, writes their tarballs to a folder, and prints the command
// that installs all of them.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { bringNode, install, isNew, ROOT } from './install.mjs';

const [folder, ...others] = process.argv.slice(2);
if (!folder || folder.startsWith('-') || others.length > 0) {
  console.error('Usage: npm run pack -- FOLDER');
  process.exit(2);
}
const destination = resolve(process.env.INIT_CWD ?? '.', folder);
const [node] = await Promise.all([isNew() ? process.execPath : bringNode(), install('build')]);
const tools = [dirname(node), join(ROOT, 'node_modules/.bin'), process.env.PATH];
const env = { ...process.env, PATH: tools.join(delimiter), TURBO_TELEMETRY_DISABLED: '1' };

const folders = ['spec', ...readdirSync(join(ROOT, 'packages')).map((name) => `packages/${name}`)];
// No file of an earlier build is packed.
for (const each of folders) rmSync(join(ROOT, each, 'dist'), { recursive: true, force: true });
// Progress goes to standard error: standard output only has the command.
run(ROOT, process.stderr, 'turbo', 'run', 'build', '--filter=./packages/*');
mkdirSync(destination, { recursive: true });
const files = folders.map((each) => {
  const args = ['pack', '--json', '--pack-destination', destination];
  return JSON.parse(run(join(ROOT, each), 'pipe', 'pnpm', ...args)).filename;
});
console.log(`npm install ${files.map((file) => `'${file}'`).join(' ')}`);

/** Returns what a command prints, if `output` is `pipe`, and ends this process if it fails. */
function run(cwd, output, command, ...args) {
  const options = { cwd, env, encoding: 'utf8', stdio: ['ignore', output, 'inherit'] };
  const { status, stdout } = spawnSync(command, args, options);
  if (status === 0) return stdout;
  if (stdout) console.error(stdout);
  process.exit(1);
}
