import { existsSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROGRAM_FILES = ['LOCALAPPDATA', 'PROGRAMFILES', 'PROGRAMFILES(X86)'];

/** The Chrome installer does not add itself to PATH on macOS and Windows. */
const INSTALLED_CHROME = {
  darwin: ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'],
  win32: PROGRAM_FILES.filter((name) => process.env[name]).map((name) =>
    join(process.env[name], 'Google/Chrome/Application/chrome.exe'),
  ),
};

/**
 * Programs that some tests need in addition to Node. An engine needs one program from each list.
 * `packages` are the Debian and Ubuntu packages that contain them. `tests` are the test files by
 * package. `npm test` prints `purpose` if they are skipped.
 */
export const ENGINES = {
  chromium: {
    title: 'Chromium',
    programs: [
      [
        ...['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
        ...(INSTALLED_CHROME[process.platform] ?? []),
      ],
    ],
    packages: ['chromium'],
    purpose: 'the pages of the mock, docs and reports, and the client in Chromium',
    tests: {
      'packages/client': ['test/platforms'],
      'packages/conformance': ['test/report-page.test.ts'],
      'packages/mock': ['test/inspector.test.ts'],
    },
  },
  ceph: {
    title: 'Ceph',
    programs: [['ceph-mon'], ['ceph-osd'], ['radosgw']],
    packages: ['ceph-mon', 'ceph-osd', 'radosgw'],
    purpose: "the server's S3 store on a real Ceph",
    tests: { 'packages/server': ['test/ceph'] },
  },
  python: {
    title: 'Python',
    // The command of the library shows which Python has it.
    programs: [['python3'], ['httpx']],
    packages: ['python3', 'python3-httpx'],
    purpose: 'guide in Python',
    tests: {
      'packages/snippets': ['test/languages.test.ts'],
    },
  },
  go: {
    title: 'Go',
    programs: [['go']],
    packages: ['golang-go'],
    purpose: 'guide in Go',
    tests: {
      'packages/snippets': ['test/languages.test.ts'],
    },
  },
  nginx: {
    title: 'nginx',
    programs: [['nginx']],
    packages: ['nginx'],
    purpose: 'the nginx example of the server',
    tests: { 'packages/server': ['test/deploy/proxies.test.ts'] },
  },
  haproxy: {
    title: 'HAProxy',
    programs: [['haproxy']],
    packages: ['haproxy'],
    purpose: 'the HAProxy example of the server',
    tests: { 'packages/server': ['test/deploy/proxies.test.ts'] },
  },
  curl: {
    title: 'curl',
    programs: [['curl']],
    packages: ['curl'],
    purpose: 'curl commands in guides, in reports and in what commands print',
    tests: {
      'packages/conformance': ['src/report/to-curl.test.ts'],
      'packages/mock': ['test/cli.test.ts', 'test/inspector.test.ts'],
      'packages/proof': ['test/sequences.test.ts'],
      'packages/server': ['test/server/development.test.ts'],
      'packages/snippets': ['test'],
    },
  },
  redis: {
    title: 'Redis',
    programs: [['redis-server', 'valkey-server']],
    packages: ['redis-server'],
    purpose: 'state that replicas of the server share',
    tests: { 'packages/server': ['test/shared'] },
  },
};

/**
 * Returns the names of all engines.
 *
 * @returns {(keyof typeof ENGINES)[]}
 */
export function listEngines() {
  return Object.keys(ENGINES);
}

export const INSTALL_ADVICE =
  'Run "npm run engines" to install missing engines on Debian or Ubuntu.';

/** Where pnpm installs the Chromium from npm, if the platform is supported and all packages are installed. */
const RUNTIMES = fileURLToPath(new URL('../packages/runtimes/node_modules', import.meta.url));

/**
 * Reads the BERTH_ENGINES variable. Tests whose engine is missing are skipped (`optional`, the default)
 * or fail (`required`). `none` hides the engines of this machine, except for those from npm.
 *
 * @returns {'optional' | 'none' | 'required'}
 */
export function engineMode() {
  const { BERTH_ENGINES: mode = '' } = process.env;
  if (mode === '') return 'optional';
  if (mode === 'none' || mode === 'required') return mode;
  throw new Error(`BERTH_ENGINES must be "none", "required" or unset, got "${mode}".`);
}

/**
 * Returns the path of the first program that is installed.
 *
 * @param {readonly string[]} names
 * @returns {string | undefined}
 */
export function findProgram(names) {
  if (engineMode() === 'none') return undefined;
  // Debian installs servers in sbin, which is not in the PATH of ordinary users.
  const folders = (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap((folder) => [folder, folder.replace(/\/bin$/, '/sbin')]);
  const files = names.flatMap((name) =>
    isAbsolute(name) ? [name] : folders.map((folder) => join(folder, name)),
  );
  return files.find((file) => existsSync(file));
}

/**
 * Returns the usual names of an engine's programs that are not installed.
 *
 * @param {keyof typeof ENGINES} id
 * @returns {string[]}
 */
export function findMissingPrograms(id) {
  return ENGINES[id].programs.filter((names) => !findProgram(names)).map(([name]) => name);
}

/** Whether npm provides a Chromium for this machine. It is built for Linux on x64 with glibc. */
export function hasNpmChromium() {
  if (process.platform !== 'linux' || process.arch !== 'x64') return false;
  if (!existsSync('/lib64/ld-linux-x86-64.so.2')) return false;
  // Before the first installation, the package is yet to be installed.
  return !existsSync(RUNTIMES) || existsSync(join(RUNTIMES, '@sparticuz/chromium'));
}

/**
 * Returns the engines that the tests use, and that are neither installed nor available from npm.
 *
 * @returns {(keyof typeof ENGINES)[]}
 */
export function findMissingEngines() {
  return listEngines().filter((id) => {
    if (id === 'chromium' && hasNpmChromium()) return false;
    return findMissingPrograms(id).length > 0;
  });
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
  if (engineMode() !== 'required') return reason;
  throw new Error(`BERTH_ENGINES=required, but ${reason}. ${INSTALL_ADVICE}`);
}

/** Prints which engines are installed and what is skipped. Exits with 2 if skipping is not allowed. */
export function checkEngines() {
  try {
    const missing = findMissingEngines();
    console.log(toReport(missing));
    if (missing.length === 0 || engineMode() !== 'required') return;
    const titles = missing.map((id) => ENGINES[id].title).join(', ');
    throw new Error(`BERTH_ENGINES=required, but missing: ${titles}. Run "npm run engines".`);
  } catch (error) {
    console.error(error.message);
    process.exit(2);
  }
}

function toReport(missing) {
  const mode = engineMode();
  const rows = listEngines().map((id) => {
    const { title, purpose } = ENGINES[id];
    const state = missing.includes(id)
      ? `missing, skips ${purpose}`
      : findMissingPrograms(id).length > 0
        ? 'from npm'
        : 'installed';
    return `  ${title.padEnd(9)} ${state}`;
  });
  const advice = mode === 'none' ? 'BERTH_ENGINES=none hides installed engines.' : INSTALL_ADVICE;
  return ['Engines for tests', ...rows, ...(missing.length > 0 ? [`  ${advice}`] : [])].join('\n');
}
