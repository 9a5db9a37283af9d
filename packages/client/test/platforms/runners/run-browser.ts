import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Deployment } from '../platform-case.ts';
import type { BrowserId } from '../platforms.ts';
import type { CaseResult } from '../run-suite.ts';
import { openChromium } from './browsers/open-chromium.ts';
import { openFirefox } from './browsers/open-firefox.ts';
import type { BrowserOptions, OpenPage } from './browsers/open-page.ts';
import { openWebKit } from './browsers/open-webkit.ts';
import { servePage } from './serve-page.ts';

const OPEN: Readonly<Record<BrowserId, OpenPage>> = {
  chromium: openChromium,
  firefox: openFirefox,
  webkit: openWebKit,
};

/** Runs the suite on a page in a real browser, from another origin than the deployment. */
export async function runBrowser(
  platform: BrowserId,
  script: string,
  deployment: Deployment,
  trusted: BrowserOptions['trusted'],
  tell: (result: CaseResult) => void,
): Promise<void> {
  const page = await servePage(platform, script, deployment, tell);
  const profile = await mkdtemp(join(tmpdir(), `berth-${platform}-`));
  try {
    const options = { profile, trusted, deployment, onGone: page.fail };
    const close = await OPEN[platform](page.url, options);
    await page.ended.finally(close);
  } finally {
    page.close();
    // A browser may still write there after it has exited.
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}
