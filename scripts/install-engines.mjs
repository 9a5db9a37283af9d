// Installs what tests run on that npm does not have, from the packages of Debian or Ubuntu: Ceph for those
// of the S3 store, browsers for those of client and mock. Where it cannot, it says what becomes of them. It is
// no part of `npm test`: nobody's machine gets packages unasked.
import { findMissingEngines } from './engines.mjs';
import { runOnMachine } from './process.mjs';

await installEngines();

async function installEngines() {
  const missing = findMissingEngines();
  if (missing.length === 0) return;
  if (process.getuid?.() !== 0) return giveUp(missing, 'only root installs packages');
  console.log(`Installing ${toPackages(missing).join(', ')}; this takes about a minute.`);
  const started = performance.now();
  process.env.DEBIAN_FRONTEND = 'noninteractive';
  try {
    await apt('update');
  } catch (error) {
    return giveUp(missing, error.message);
  }
  // One group after the other: one that is not to be had leaves the rest.
  for (const group of toGroups(missing)) {
    const options = ['--yes', '--no-install-recommends'];
    await apt('install', ...options, ...toPackages(group)).catch((error) =>
      giveUp(group, error.message),
    );
  }
  console.log(`That took ${Math.round((performance.now() - started) / 1000)} s.`);
}

async function apt(...args) {
  const code = await runOnMachine('apt-get', ['-qq', '-o', 'Acquire::Retries=3', ...args]);
  if (code !== 0) throw new Error(`apt-get has ended with code ${code}`);
}

function giveUp(missing, reason) {
  for (const group of toGroups(missing)) {
    console.error(`
*** ${group[0].tests}: there is no ${toPackages(group).join(', ')},
*** and it cannot be installed: ${reason}.
*** Debian and Ubuntu have packages of these names.
`);
  }
}

/** Those that the same tests need. */
function toGroups(engines) {
  const names = new Set(engines.map(({ tests }) => tests));
  return [...names].map((name) => engines.filter(({ tests }) => tests === name));
}

function toPackages(engines) {
  return engines.map((engine) => engine.package);
}
