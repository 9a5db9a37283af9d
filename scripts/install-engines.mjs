// `npm run engines`: installs the test engines that npm does not provide, from Debian or Ubuntu
// packages. Not part of `npm test`, so that no machine gets packages without asking. With BERTH_SOAK=1, also
// those that only `npm run soak` uses.
import { ENGINES, findMissingPrograms, findProgram, listEngines } from './engines.mjs';
import { runOnMachine } from './process.mjs';

const missing = listEngines().filter((id) => findMissingPrograms(id).length > 0);
if (missing.length === 0) console.log('All engines are installed.');
else await installEngines();

async function installEngines() {
  const packages = missing.flatMap((id) => ENGINES[id].packages);
  console.log(`Installing ${packages.join(', ')}; this takes about a minute.`);
  const started = performance.now();
  try {
    await apt('update');
    // One engine at a time, so that a failure does not affect the others.
    for (const id of missing) {
      const options = ['--yes', '--no-install-recommends'];
      await apt('install', ...options, ...ENGINES[id].packages).catch((error) => fail([id], error));
    }
  } catch (error) {
    fail(missing, error);
  }
  console.log(`Finished in ${Math.round((performance.now() - started) / 1000)} s.`);
}

async function apt(...args) {
  const command = ['env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-qq'];
  const [program, ...rest] = [...asRoot(), ...command, '-o', 'Acquire::Retries=3', ...args];
  const code = await runOnMachine(program, rest);
  if (code !== 0) throw new Error(`apt-get exited with code ${code}`);
}

function asRoot() {
  if (!findProgram(['apt-get']))
    throw new Error('apt-get was not found: only Debian and Ubuntu are supported');
  if (process.getuid() === 0) return [];
  if (!findProgram(['sudo']))
    throw new Error('root permissions are required, and sudo was not found');
  // Only ask for a password if somebody can type it.
  return process.stdin.isTTY ? ['sudo'] : ['sudo', '-n'];
}

function fail(ids, error) {
  process.exitCode = 1;
  for (const { title, packages } of ids.map((id) => ENGINES[id])) {
    console.error(`*** ${title} (${packages.join(', ')}) is not installed: ${error.message}.`);
  }
}
