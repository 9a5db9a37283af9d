import { createMock, type Mock } from '@berth/mock';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { openBrowser } from '../../../scripts/testing/browser.ts';
import { describeOn } from '../../../scripts/testing/engines.ts';
import { gateway, storage } from './helpers/calls.ts';
import { upload } from './helpers/upload.ts';

describeOn('chromium', 'the page of the mock', () => {
  let browser: Browser;
  let context: BrowserContext;
  let mock: Mock;
  let page: Page;
  /** What the page must not do but did: calls to other hosts, errors, blocked scripts. */
  let complaints: string[];

  beforeAll(async () => {
    browser = await openBrowser();
    context = await browser.newContext();
  });
  afterAll(() => browser.close());

  beforeEach(async () => {
    mock = await createMock();
    complaints = [];
    page = await context.newPage();
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(mock.url) && !url.startsWith('data:')) complaints.push(url);
    });
  });
  afterEach(async () => {
    await page.close();
    await mock.close();
    expect(complaints).toEqual([]);
  });

  const open = () => page.goto(`${mock.url}/__mock`);
  const callHello = (path = '') =>
    gateway(mock, {
      path: `/v1/cloudrun/hello${path}`,
      headers: { authorization: 'Bearer a-secret-of-mine' },
    });

  test('shows each call as it arrives, why it was rejected, and copies it as curl', async () => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await callHello('/before');
    await open();
    await page.getByText('/v1/cloudrun/hello/before').waitFor();
    const secret = { 'x-svc-authorization': 'a-secret-of-mine' };
    await storage(mock, 'batchDelete', { fileList: 'all' }, secret);
    const call = page.getByRole('row').filter({ hasText: 'storages:batchDelete' });
    await call.getByText('fileList must be an array').waitFor();
    await call.getByText('400').waitFor();
    await call.getByRole('button').click();
    await call.getByText('Copied').waitFor();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    expect(copied).toContain(`--data-raw '{"fileList":"all"}'`);
    expect(copied).toContain('***');
    expect(await page.content()).not.toContain('a-secret-of-mine');
  });

  test('shows files, and a choice of sessions', async () => {
    await upload(mock, 'reports/a b.txt', 'Hello');
    await callHello('/default');
    for (const id of ['first', 'second']) mock.session(id).clock.advance(1);
    await open();
    const link = page.getByRole('link', { name: 'reports/a b.txt' });
    const file = await page.request.get((await link.getAttribute('href')) ?? '');
    expect(await file.text()).toBe('Hello');
    // The oldest session is dropped, so that there are as many as before.
    await page.getByRole('option', { name: 'first' }).waitFor({ state: 'attached' });
    mock.session('other').clock.advance(1);
    await page.getByLabel('Session').selectOption('other');
    await page.getByText('No files.').waitFor();
    await page.getByText('No calls yet.').waitFor();
  });

  test.each([1280, 390])('has rows that fit in a window of %i px', async (width) => {
    await page.setViewportSize({ width, height: 800 });
    await gateway(mock, { path: `/v1/cloudrun/${'x'.repeat(200)}` });
    await upload(mock, `${'y'.repeat(200)}.txt`, 'Hello', `text/${'z'.repeat(100)}`);
    await open();
    await page.getByText('zzz').waitFor();
    await page.getByText('xxx').first().waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    expect(await page.locator('th').allTextContents()).toHaveLength(9);
  });

  test('shows what a client sends as text, never as HTML', async () => {
    const text = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
    await storage(mock, `batchDelete${encodeURIComponent(text)}`, { fileList: [text] });
    await open();
    await page.getByText('img').first().waitFor();
    expect(await page.title()).toBe('Berth mock');
  });
});
