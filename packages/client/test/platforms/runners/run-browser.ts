import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBrowser } from '@berth/runtimes/browser';
import { chromium } from 'playwright-core';
import type { Deployment } from '../platform-case.ts';
import type { CaseResult } from '../run-suite.ts';

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
