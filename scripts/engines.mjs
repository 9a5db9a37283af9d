import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * What tests run on that npm does not have: programs of Debian or Ubuntu. Of `names` any one is enough;
 * `tests` says which tests need it and what becomes of them without it.
 */
export const ENGINES = [
  ...['ceph-mon', 'ceph-osd', 'radosgw'].map((name) => ({
    package: name,
    names: [name],
    tests: 'The tests of the S3 store on a real Ceph will be SKIPPED',
  })),
  {
    package: 'chromium',
    names: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
    tests: 'The tests of the client and the mock in a real browser will FAIL',
  },
  {
    package: 'firefox-esr',
    names: ['firefox-esr', 'firefox'],
    tests: "The client's suite in Firefox will be SKIPPED",
  },
  ...['WebKitWebDriver', 'Xvfb'].map((name) => ({
    package: name === 'Xvfb' ? 'xvfb' : 'webkit2gtk-driver',
    names: [name],
    tests: "The client's suite in WebKit will be SKIPPED",
  })),
];

/**
 * Programs that tests run on and that this machine does not have.
 *
 * @returns {typeof ENGINES}
 */
export function findMissingEngines() {
  const folders = process.env.PATH.split(delimiter);
  const isThere = (name) => folders.some((folder) => existsSync(join(folder, name)));
  return ENGINES.filter(({ names }) => !names.some(isThere));
}
