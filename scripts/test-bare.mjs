// With BERTH_ENGINES=none: runs the tests that use engines as on a machine without any. `.ci/run` starts
// with this, because CI machines have all engines and would not notice failures on a developer's
// machine.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkEngines, ENGINES } from './engines.mjs';
import { install } from './install.mjs';
import { ROOT, run, turbo } from './process.mjs';

const engines = Object.values(ENGINES);
const folders = [...new Set(engines.flatMap(({ tests }) => Object.keys(tests)))];

checkEngines();
await install();
const filters = folders.map((folder) => `--filter=./${folder}`);
const built = await turbo('build', ...filters, '--output-logs=errors-only');
process.exit(built || (await test()));

async function test() {
  const home = mkdtempSync(join(tmpdir(), 'berth-home-'));
  const command = [...asOrdinaryUser(), 'env', `HOME=${home}`, 'vitest', 'run'];
  // Without the JSON reports in Vitest's configuration, which belong to the turbo tasks.
  command.push('--reporter=default', '-t', engines.map(({ title }) => title).join('|'));
  let failed = 0;
  for (const folder of folders) {
    const files = new Set(engines.flatMap(({ tests }) => tests[folder] ?? []));
    const [program, ...args] = [...command, ...files];
    failed ||= await run(program, args, { cwd: join(ROOT, folder) });
  }
  rmSync(home, { recursive: true });
  return failed;
}

/** Maps root to an ordinary user who owns the same files, if the system has user namespaces. */
function asOrdinaryUser() {
  if (process.getuid?.() !== 0) return [];
  const command = ['unshare', '--user', '--map-user=1000', '--map-group=1000'];
  const [program, ...args] = [...command, 'true'];
  if (spawnSync(program, args).status === 0) return command;
  console.log('Running as root, because this system has no user namespaces.');
  return [];
}
