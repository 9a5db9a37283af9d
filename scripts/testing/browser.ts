import { type Browser, chromium } from 'playwright-core';
import { ENGINES, findProgram, skipReason } from './engines.ts';

/** Ends a test that hangs; a busy machine may need minutes. */
const timeout = 300_000;

/** Opens the machine's Chromium or Chrome, for pages of tests. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = findProgram(ENGINES.chromium.programs.flat());
  if (!executablePath) throw new Error(skipReason('chromium'));
  // Root, as whom containers run, has no sandbox. Nothing but our own pages is opened.
  const browser = await chromium.launch({ chromiumSandbox: false, timeout, executablePath });
  browser.on('context', (context) => context.setDefaultTimeout(timeout));
  return browser;
}
