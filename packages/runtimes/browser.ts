import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const MISSING = `There is no Chromium on this machine (${NAMES.join(', ')}). Debian and Ubuntu have the
package chromium; "node scripts/install-engines.mjs" installs it.`;

/** Path of a program of the machine, the first of these names that is there. */
export function findProgram(names: readonly string[]): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const files = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return files.find((file) => existsSync(file));
}

/** The browser of the machine; on macOS and Windows, Chrome where its installer puts it. */
export function findBrowser(): { executablePath: string } | { channel: string } {
  const executablePath = findProgram(NAMES);
  if (executablePath) return { executablePath };
  if (process.platform === 'linux') throw new Error(MISSING);
  return { channel: 'chrome' };
}

/** Opens the browser of the machine, for pages of tests. */
export function openBrowser(): Promise<Browser> {
  // Root, as whom containers run, has no sandbox. Nothing but our own pages is opened.
  return chromium.launch({ ...findBrowser(), chromiumSandbox: false });
}
