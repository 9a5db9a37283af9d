import { existsSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROGRAM_FILES = ['LOCALAPPDATA', 'PROGRAMFILES', 'PROGRAMFILES(X86)'];

/** On macOS and Windows, Chrome's installer leaves PATH alone. */
const INSTALLED_CHROME = {
  darwin: ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'],
  win32: PROGRAM_FILES.filter((name) => process.env[name]).map((name) =>
    join(process.env[name], 'Google/Chrome/Application/chrome.exe'),
  ),
};

/**
 * The programs that some tests run on and Node is not enough for. Each engine needs one program of
 * each list; `packages` are those of Debian and Ubuntu that bring them. `tests` are the test files, by
 * package; `npm test` reports `purpose` if they are skipped.
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
    purpose: 'the pages of mock, docs and reports, and the client in Chromium',
    tests: {
      docs: ['test/site.test.ts'],
      'packages/client': ['test/platforms'],
      'packages/conformance': ['test/report-page.test.ts'],
      'packages/mock': ['test/inspector'],
    },
  },
  firefox: {
    title: 'Firefox',
    programs: [['firefox-esr', 'firefox']],
    packages: ['firefox-esr'],
    purpose: 'the client in Firefox',
    tests: { 'packages/client': ['test/platforms'] },
  },
  webkit: {
    title: 'WebKit',
    programs: [['WebKitWebDriver'], ['Xvfb']],
    packages: ['webkit2gtk-driver', 'xvfb'],
    purpose: 'the client in WebKit, the engine of Safari',
    tests: { 'packages/client': ['test/platforms'] },
  },
  ceph: {
    title: 'Ceph',
    programs: [['ceph-mon'], ['ceph-osd'], ['radosgw']],
    packages: ['ceph-mon', 'ceph-osd', 'radosgw'],
    purpose: "the server's S3 store on a real Ceph",
    tests: { 'packages/server': ['test/ceph'] },
  },
};

export const INSTALL_ADVICE = '"npm run engines" installs what is missing, on Debian and Ubuntu.';

/** Where pnpm puts the Chromium of npm; the full installation only, and where the package can be had. */
const RUNTIMES = fileURLToPath(new URL('../packages/runtimes/node_modules', import.meta.url));

/**
 * What becomes of a test whose engine is missing, by the variable BERTH_ENGINES: skipped (`optional`,
 * the default), or red (`required`). `none` hides the engines of this machine: only npm's are left.
 *
 * @returns {'optional' | 'none' | 'required'}
 */
export function engineMode() {
  const { BERTH_ENGINES: mode = '' } = process.env;
  if (mode === '') return 'optional';
  if (mode === 'none' || mode === 'required') return mode;
  throw new Error(`BERTH_ENGINES is "none", "required" or not set, not "${mode}".`);
}

/**
 * Path of a program of this machine, the first of these names that is there.
 *
 * @param {readonly string[]} names
 * @returns {string | undefined}
 */
export function findProgram(names) {
  if (engineMode() === 'none') return undefined;
  const folders = (process.env.PATH ?? '').split(delimiter);
  const files = names.flatMap((name) =>
    isAbsolute(name) ? [name] : folders.map((folder) => join(folder, name)),
  );
  return files.find((file) => existsSync(file));
}

/**
 * The programs of an engine that this machine does not have, each by its usual name.
 *
 * @param {keyof typeof ENGINES} id
 * @returns {string[]}
 */
export function findMissingPrograms(id) {
  return ENGINES[id].programs.filter((names) => !findProgram(names)).map(([name]) => name);
}

/** Whether npm has a Chromium for this machine: it is built for Linux on x64, and this loader. */
export function hasNpmChromium() {
  if (process.platform !== 'linux' || process.arch !== 'x64') return false;
  if (!existsSync('/lib64/ld-linux-x86-64.so.2')) return false;
  // Before the first installation it is still to come.
  return !existsSync(RUNTIMES) || existsSync(join(RUNTIMES, '@sparticuz/chromium'));
}

/**
 * The engines that are neither on this machine nor in npm.
 *
 * @returns {(keyof typeof ENGINES)[]}
 */
export function findMissingEngines() {
  return Object.keys(ENGINES).filter((id) => {
    if (id === 'chromium' && hasNpmChromium()) return false;
    return findMissingPrograms(id).length > 0;
  });
}

/**
 * Why tests on an engine are skipped, if they are.
 *
 * @param {keyof typeof ENGINES} id
 * @returns {string | undefined}
 * @throws {Error} if they must not be (`BERTH_ENGINES=required`)
 */
export function skipReason(id) {
  if (!findMissingEngines().includes(id)) return undefined;
  const reason = `there is no ${ENGINES[id].title}`;
  if (engineMode() !== 'required') return reason;
  throw new Error(`BERTH_ENGINES=required, but ${reason}. ${INSTALL_ADVICE}`);
}

/** Prints which engines are here and what is skipped without the others; ends with 2 if it must not be. */
export function checkEngines() {
  try {
    const missing = findMissingEngines();
    console.log(toReport(missing));
    if (missing.length === 0 || engineMode() !== 'required') return;
    const titles = missing.map((id) => `no ${ENGINES[id].title}`).join(', ');
    throw new Error(`BERTH_ENGINES=required, but there is ${titles}. Run "npm run engines".`);
  } catch (error) {
    console.error(error.message);
    process.exit(2);
  }
}

function toReport(missing) {
  const mode = engineMode();
  const rows = Object.entries(ENGINES).map(([id, { title, purpose }]) => {
    const state = missing.includes(id)
      ? `missing: skips ${purpose}`
      : findMissingPrograms(id).length > 0
        ? 'from npm'
        : 'installed';
    return `  ${title.padEnd(9)} ${state}`;
  });
  const advice = mode === 'none' ? 'BERTH_ENGINES=none hides what is installed.' : INSTALL_ADVICE;
  return ['Engines for tests', ...rows, ...(missing.length > 0 ? [`  ${advice}`] : [])].join('\n');
}
