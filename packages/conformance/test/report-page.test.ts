import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../../../scripts/testing/browser.ts';
import { describeOn } from '../../../scripts/testing/engines.ts';
import { toHtml } from '../src/report/to-html.ts';
import { sampleReport, sampleResult } from './support/sample-report.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

const LONG = 'x'.repeat(400);
const finding = {
  message: `must be attachment, not ${LONG}`,
  where: `gateway.v1#/${LONG}`,
  request: { method: 'GET', url: `http://a.example/${LONG}`, headers: { A: LONG }, body: '' },
  response: {
    status: 200,
    headers: {},
    body: '<img src=x onerror=alert(1)>',
    bodyEncoding: 'utf-8' as const,
  },
};
const report = sampleReport([
  sampleResult({ statement: 'The first sentence.' }),
  sampleResult({ id: 'GW-C2', outcome: 'fail', findings: [finding] }),
  sampleResult({ id: 'ST-META-CALL', outcome: 'skip', reason: 'why not' }),
]);

describeOn('chromium', 'the page of a report', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  async function withPage(work: (page: Page, asked: string[]) => Promise<void>): Promise<void> {
    await using folder = await makeTemporaryFolder();
    const file = join(folder.path, 'report.html');
    await writeFile(file, toHtml(report));
    const page = await browser.newPage();
    const asked: string[] = [];
    const faults: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    page.on('pageerror', (error) => faults.push(String(error)));
    await page.goto(pathToFileURL(file).href);
    await work(page, asked);
    expect(faults).toEqual([]);
    await page.close();
  }

  const shown = (page: Page): Promise<string[]> =>
    page.evaluate(
      `[...document.querySelectorAll('main > details')].filter((e) => e.checkVisibility()).map((e) => e.id)`,
    );

  test('the page loads nothing else and shows the outcome of the run', () =>
    withPage(async (page, asked) => {
      expect(await page.textContent('h1')).toBe('The deployment breaks the contract');
      expect(await page.getAttribute('#GW-C2', 'open')).not.toBeNull();
      expect(await page.$('img')).toBeNull();
      expect(asked).toHaveLength(1);
    }));

  test('results can be filtered by outcome and text, using only the keyboard', () =>
    withPage(async (page) => {
      // What passes is only shown at first if nothing fails.
      expect(await shown(page)).toEqual(['GW-C2', 'ST-META-CALL']);
      await page.focus('#show-pass');
      await page.keyboard.press('Space');
      expect(await shown(page)).toContain('GW-C1');
      await page.focus('#search');
      await page.keyboard.type('first sentence');
      expect(await shown(page)).toEqual(['GW-C1']);
    }));
});
