import { existsSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { describe, test } from 'vitest';

/** On macOS, Chrome is not in PATH. */
const CHROME_OF_MAC = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';
const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome', CHROME_OF_MAC];

/**
 * Programs that some tests need in addition to Node. An engine needs one program of each list. `engines.sh` installs
 * their Debian packages.
 */
export const ENGINES = {
  ceph: { title: 'Ceph', programs: [['ceph-mon'], ['ceph-osd'], ['radosgw']] },
  redis: { title: 'Redis', programs: [['redis-server', 'valkey-server']] },
  chromium: { title: 'Chromium', programs: [BROWSERS] },
  python: { title: 'Python', programs: [['python3']] },
  go: { title: 'Go', programs: [['go']] },
  curl: { title: 'curl and jq', programs: [['curl'], ['jq']] },
};

export type EngineId = keyof typeof ENGINES;

/** Returns the path of the first program that is installed. */
export function findProgram(names: readonly string[]): string | undefined {
  // Debian installs servers in sbin, which is not in the PATH of ordinary users.
  const folders = (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap((folder) => [folder, folder.replace(/\/bin$/, '/sbin')]);
  return names
    .flatMap((name) => (isAbsolute(name) ? [name] : folders.map((folder) => join(folder, name))))
    .find((file) => existsSync(file));
}

function isMissing(engine: EngineId): boolean {
  return !ENGINES[engine].programs.every(findProgram);
}

/** The titles of the engines that are not installed. */
export function missingEngines(): string[] {
  const ids = Object.keys(ENGINES) as EngineId[];
  return ids.filter(isMissing).map((id) => ENGINES[id].title);
}

/**
 * Returns why tests that need an engine are skipped; `undefined` if they run.
 *
 * @throws if skipping is not allowed (`BERTH_ENGINES=required`)
 */
export function skipReason(engine: EngineId): string | undefined {
  if (!isMissing(engine)) return undefined;
  const reason = `${ENGINES[engine].title} is not installed`;
  if (process.env.BERTH_ENGINES !== 'required') return reason;
  throw new Error(`BERTH_ENGINES=required, but ${reason}. Run "npm run engines".`);
}

/** Tests on an engine, which are skipped if it is missing. */
export function describeOn(engine: EngineId, name: string, tests: () => void): void {
  const isSkipped = skipReason(engine) !== undefined;
  describe.skipIf(isSkipped)(`${name}, on ${ENGINES[engine].title}`, tests);
}

/** Returns `test` for an engine, which skips the test if the engine is missing. */
export function testOn(engine: EngineId): (name: string, run: () => Promise<void>) => void {
  return test.skipIf(skipReason(engine) !== undefined);
}
