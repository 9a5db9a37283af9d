import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';
import type { Deployment } from '../platform-case.ts';
import type { CaseResult } from '../run-suite.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const MISSING = `There is no Chromium on this machine (${NAMES.join(', ')}). Debian and Ubuntu have the
package chromium; "node scripts/install-engines.mjs" installs it.`;

/** Runs the suite in a page of a real browser, of another origin than the deployment. */
export async function runBrowser(
  script: string,
  deployment: Deployment,
  pin: string,
  tell: (result: CaseResult) => void,
): Promise<void> {
  const pages = await servePage(await readFile(script, 'utf8'));
  const profile = await mkdtemp(join(tmpdir(), 'berth-chromium-'));
  const context = await chromium.launchPersistentContext(profile, {
    ...findBrowser(),
    // Root, as whom containers run, has no sandbox. Nothing but our own page is opened.
    chromiumSandbox: false,
    args: [`--ignore-certificate-errors-spki-list=${pin}`],
  });
  try {
    const page = await context.newPage();
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(String(error)));
    await page.exposeFunction('tell', tell);
    await page.goto(pages.url);
    await page.evaluate(
      ([given]) => {
        const { runSuite, tell } = globalThis as never as Record<
          string,
          (...args: unknown[]) => unknown
        >;
        return runSuite?.('chromium', given, tell);
      },
      [deployment] as const,
    );
    if (faults.length > 0) throw new Error(`The page failed: ${faults.join('; ')}`);
  } finally {
    await context.close();
    await rm(profile, { recursive: true, force: true });
    pages.close();
  }
}

/** The browser of the machine; on macOS and Windows, Chrome where its installer puts it. */
function findBrowser() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const files = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  const executablePath = files.find((file) => existsSync(file));
  if (executablePath) return { executablePath };
  if (process.platform === 'linux') throw new Error(MISSING);
  return { channel: 'chrome' };
}

async function servePage(script: string) {
  const server = createServer(({ url }, response) => {
    const isScript = url === '/page.js';
    const type = isScript ? 'text/javascript' : 'text/html';
    response.writeHead(200, { 'content-type': `${type}; charset=utf-8` });
    response.end(
      isScript
        ? script
        : '<!doctype html><link rel="icon" href="data:,"><script type="module" src="/page.js"></script>',
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    // A secure context, so that the page may sign.
    url: `http://localhost:${(server.address() as AddressInfo).port}/`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
