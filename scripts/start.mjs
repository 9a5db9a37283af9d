// `npm start [-- --port N]`: starts the mock, whatever state the checkout is in. Runs in this process,
// on the machine's Node, so that ending the process ends the mock.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { registerTypeScript } from '../packages/mock/src/typescript.js';
import { install, installMock } from './install.mjs';
import { endWithNpm, ROOT, turbo } from './process.mjs';

/** The generated code that the mock uses, and its sources. */
const GENERATED_FROM = [
  'spec',
  ...['generator', 'scripts', 'src/generated', 'src/runtime/generated'].map(
    (folder) => `packages/server-stubs/${folder}`,
  ),
];

endWithNpm();
if (isEdited()) {
  await install();
  const code = await turbo('generate', '--output-logs=errors-only', '--log-order=grouped');
  if (code !== 0) process.exit(code);
} else {
  await installMock();
}
registerTypeScript(join(ROOT, 'node_modules/.cache/berth-mock'));
await import('../packages/mock/src/cli.ts');

/** Generated code is committed, so it can only be out of date after an edit. */
function isEdited() {
  const args = ['--no-optional-locks', 'status', '--porcelain', '--', ...GENERATED_FROM];
  const { status, stdout } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  return status !== 0 || stdout !== '';
}
