import { type Browser, chromium, type LaunchOptions } from 'playwright-core';
import { ENGINES, findProgram, skipReason } from './engines.ts';

/** Ends a test that hangs; a busy machine may need minutes. */
const timeout = 300_000;

/** Opens Chromium, for pages of tests. */
export async function openBrowser(): Promise<Browser> {
  const browser = await chromium.launch(findBrowser());
  browser.on('context', (context) => context.setDefaultTimeout(timeout));
  return browser;
}

/** How Playwright launches the Chromium of the machine; Chrome is one. */
function findBrowser(): LaunchOptions {
  const executablePath = findProgram(ENGINES.chromium.programs.flat());
  if (!executablePath) throw new Error(skipReason('chromium'));
  // Root, as whom containers run, has no sandbox. Nothing but our own pages is opened.
  return { chromiumSandbox: false, timeout, executablePath };
}
