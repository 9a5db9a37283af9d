// `npm run engines`: installs what tests run on and npm does not have, from the packages of Debian or
// Ubuntu. It is no part of `npm test`: nobody's machine gets packages unasked.
import { ENGINES, findMissingPrograms, findProgram } from './engines.mjs';
import { runOnMachine } from './process.mjs';

const missing = Object.keys(ENGINES).filter((id) => findMissingPrograms(id).length > 0);
if (missing.length === 0) console.log('All engines are installed.');
else await installEngines();

async function installEngines() {
  const packages = missing.flatMap((id) => ENGINES[id].packages);
  console.log(`Installing ${packages.join(', ')}; this takes about a minute.`);
  const started = performance.now();
  try {
    await apt('update');
    // One engine after the other: one that cannot be installed leaves the rest.
    for (const id of missing) {
      const options = ['--yes', '--no-install-recommends'];
      await apt('install', ...options, ...ENGINES[id].packages).catch((error) => fail([id], error));
    }
  } catch (error) {
    fail(missing, error);
  }
  console.log(`That took ${Math.round((performance.now() - started) / 1000)} s.`);
}

async function apt(...args) {
  const command = ['env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-qq'];
  const [program, ...rest] = [...asRoot(), ...command, '-o', 'Acquire::Retries=3', ...args];
  const code = await runOnMachine(program, rest);
  if (code !== 0) throw new Error(`apt-get ended with code ${code}`);
}

function asRoot() {
  if (!findProgram(['apt-get']))
    throw new Error('this is no Debian or Ubuntu (there is no apt-get)');
  if (process.getuid() === 0) return [];
  if (!findProgram(['sudo'])) throw new Error('only root installs packages, and there is no sudo');
  // A password is asked for only if somebody can type it.
  return process.stdin.isTTY ? ['sudo'] : ['sudo', '-n'];
}

function fail(ids, error) {
  process.exitCode = 1;
  for (const { title, packages } of ids.map((id) => ENGINES[id])) {
    console.error(`*** ${title} (${packages.join(', ')}) is not installed: ${error.message}.`);
  }
}
