import { existsSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** Where Chrome installs itself on macOS, which is not in PATH. */
const CHROME_OF_MAC = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';

/**
 * Programs that some tests need in addition to Node. An engine needs one program from each list.
 * `packages` are the Debian and Ubuntu packages that contain them.
 */
export const ENGINES = {
  chromium: {
    title: 'Chromium',
    programs: [
      ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', CHROME_OF_MAC],
    ],
    packages: ['chromium'],
  },
  ceph: {
    title: 'Ceph',
    programs: [['ceph-mon'], ['ceph-osd'], ['radosgw']],
    packages: ['ceph-mon', 'ceph-osd', 'radosgw'],
  },
  redis: {
    title: 'Redis',
    programs: [['redis-server', 'valkey-server']],
    packages: ['redis-server'],
  },
  python: {
    title: 'Python',
    // The command of the library shows which Python has it.
    programs: [['python3'], ['httpx']],
    packages: ['python3', 'python3-httpx'],
  },
  go: { title: 'Go', programs: [['go']], packages: ['golang-go'] },
  curl: { title: 'curl', programs: [['curl']], packages: ['curl'] },
};

/** @returns {string | undefined} the path of the first program that is installed */
export function findProgram(/** @type {readonly string[]} */ names) {
  // Debian installs servers in sbin, which is not in the PATH of ordinary users.
  const folders = (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap((folder) => [folder, folder.replace(/\/bin$/, '/sbin')]);
  return names
    .flatMap((name) => (isAbsolute(name) ? [name] : folders.map((folder) => join(folder, name))))
    .find((file) => existsSync(file));
}

/** @returns {(keyof typeof ENGINES)[]} */
export function findMissingEngines() {
  return Object.keys(ENGINES).filter((id) => !ENGINES[id].programs.every(findProgram));
}

/**
 * Returns why tests that need an engine are skipped; `undefined` if they run.
 *
 * @param {keyof typeof ENGINES} id
 * @returns {string | undefined}
 * @throws {Error} if skipping is not allowed (`BERTH_ENGINES=required`)
 */
export function skipReason(id) {
  if (!findMissingEngines().includes(id)) return undefined;
  const reason = `${ENGINES[id].title} is not installed`;
  if (process.env.BERTH_ENGINES !== 'required') return reason;
  throw new Error(`BERTH_ENGINES=required, but ${reason}. Run "npm run engines".`);
}

/** Prints which engines are missing. Exits with 2 if skipping is not allowed. */
export function checkEngines() {
  const missing = findMissingEngines();
  if (missing.length === 0) return;
  const titles = missing.map((id) => ENGINES[id].title).join(', ');
  console.log(`Not installed: ${titles}. Tests that need them are skipped; run "npm run engines".`);
  if (process.env.BERTH_ENGINES === 'required') process.exit(2);
}
