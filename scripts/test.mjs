// `npm test`: everything that must pass before a change lands.
import { execFileSync, spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { install, ROOT } from './install.mjs';

const GENERATED = ['*/generated/*', '*.gen.*', 'docs/reference/*.md'];

await install();
// The tools of the repository first, its Node among them, and none of them reports its use.
const env = {
  ...process.env,
  PATH: [join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter),
  TURBO_TELEMETRY_DISABLED: '1',
  REDOCLY_TELEMETRY: 'off',
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130));

const before = readGenerated();
await run('npm', 'run', '--silent', 'generate');
if (readGenerated() !== before) {
  console.error('Generated files did not match their sources. Review and commit the changes:');
  console.error(git('status', '--short', '--', ...GENERATED));
  process.exit(1);
}
await Promise.all([
  run('turbo', 'run', 'lint', 'typecheck', 'build', '--continue', '--output-logs=new-only'),
  run('biome', 'check', '--error-on-warnings')
    .then(() => run('knip'))
    .then(() => run('tsc')),
]);
await run('vitest', 'run');

/** Runs a command, which ends with this process, and ends this process if it fails. */
async function run(command, ...args) {
  const shell = process.platform === 'win32';
  const child = spawn(command, args, { cwd: ROOT, env, stdio: 'inherit', shell });
  process.on('exit', () => child.kill());
  const code = await new Promise((resolve) => child.on('close', resolve));
  if (code !== 0) process.exit(code ?? 1);
}

function readGenerated() {
  return git('diff', '--', ...GENERATED) + git('status', '--short', '--', ...GENERATED);
}

function git(...args) {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 28 });
}
