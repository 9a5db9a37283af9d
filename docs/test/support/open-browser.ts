import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Opens the browser that the machine has. */
export function openBrowser(): Promise<Browser> {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const executablePath = folders
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find(existsSync);
  if (executablePath === undefined) {
    throw new Error('This test needs Chromium.');
  }
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}
