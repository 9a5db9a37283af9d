// `npm run engines`: installs the missing test engines from Debian or Ubuntu packages. Not part of
// `npm test`, so that no machine gets packages without asking.
import { ENGINES, findMissingEngines, findProgram } from './engines.mjs';
import { runOnMachine } from './process.mjs';

const packages = findMissingEngines().flatMap((id) => ENGINES[id].packages);
if (packages.length === 0) console.log('All engines are installed.');
else if (!findProgram(['apt-get'])) fail('only Debian and Ubuntu, which have apt-get');
else if (process.getuid() !== 0 && !findProgram(['sudo'])) fail('root or sudo');
else {
  console.log(`Installing ${packages.join(', ')}; this takes about a minute.`);
  await apt('update');
  await apt('install', '--yes', '--no-install-recommends', ...packages);
}

async function apt(...args) {
  const root = process.getuid() === 0 ? [] : ['sudo'];
  const command = ['env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-qq'];
  const [program, ...rest] = [...root, ...command, '-o', 'Acquire::Retries=3', ...args];
  const code = await runOnMachine(program, rest);
  if (code !== 0) process.exit(code);
}

function fail(needs) {
  console.error(`This needs ${needs}: install ${packages.join(', ')} by hand.`);
  process.exit(1);
}
