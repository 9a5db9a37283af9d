// `npm test`: everything that must pass before a change lands.
import { execFileSync, spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { install, ROOT } from './install.mjs';

const GENERATED = ['*/generated/*', '*.gen.*', 'docs/reference/*.md'];

install();
// The tools of the repository first, its Node among them.
process.env.PATH = [join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter);

const before = readGenerated();
run('npm', 'run', '--silent', 'generate');
if (readGenerated() !== before) {
  console.error('Generated files did not match their sources. Review and commit the changes:');
  console.error(git('status', '--short', '--', ...GENERATED));
  process.exit(1);
}
run('biome', 'check', '--error-on-warnings');
run('knip');
run('tsc');
run('turbo', 'run', 'lint', 'typecheck', 'build', '--continue', '--output-logs=new-only');
run('vitest', 'run');

function run(command, ...args) {
  const shell = process.platform === 'win32';
  const { status } = spawnSync(command, args, { cwd: ROOT, stdio: 'inherit', shell });
  if (status !== 0) process.exit(status ?? 1);
}

function readGenerated() {
  return git('diff', '--', ...GENERATED) + git('status', '--short', '--', ...GENERATED);
}

function git(...args) {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 28 });
}
