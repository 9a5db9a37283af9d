// Installs what the tests of the S3 store run on: Ceph, from the packages of Debian or Ubuntu. Where it
// cannot, it says so, and those tests count as skipped. It is no part of `npm test`: nobody's machine
// gets packages unasked.
import { findMissingEngines } from './engines.mjs';
import { runOnMachine } from './process.mjs';

const PACKAGES = ['ceph-mon', 'ceph-osd', 'radosgw'];

await installEngines();

async function installEngines() {
  const missing = findMissingEngines();
  if (missing.length === 0) return;
  if (process.getuid?.() !== 0) {
    return giveUp(missing, 'only root installs packages');
  }
  console.log(`Installing ${PACKAGES.join(', ')}; this takes about a quarter of a minute.`);
  const started = performance.now();
  process.env.DEBIAN_FRONTEND = 'noninteractive';
  try {
    const apt = async (...args) => {
      const code = await runOnMachine('apt-get', ['-qq', '-o', 'Acquire::Retries=3', ...args]);
      if (code !== 0) throw new Error(`apt-get has ended with code ${code}`);
    };
    await apt('update');
    await apt('install', '--yes', '--no-install-recommends', ...PACKAGES);
  } catch (error) {
    return giveUp(findMissingEngines(), error.message);
  }
  console.log(`Installed them in ${Math.round((performance.now() - started) / 1000)} s.`);
}

function giveUp(missing, reason) {
  console.error(`
*** The tests of the S3 store on a real Ceph will be SKIPPED: there is no ${missing.join(', ')},
*** and they cannot be installed: ${reason}.
*** They are in the packages ${PACKAGES.join(', ')} of Debian and Ubuntu.
`);
}
