import { openBrowser } from '@berth/runtimes/browser';
import { describeOn } from '@berth/runtimes/engines';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serveSite } from './support/serve-site.ts';

/** Each kind of page, with a text that it shows. */
const PAGES = {
  '/': 'One API, one contract',
  '/start/client.html': 'Call the API',
  '/guides/uploads.html': 'Large files',
  '/reference/downloads.html': 'gateway.v1/openapi.json',
  '/reference/rules.html': 'GW-SSE-UNBUFFERED',
  '/reference/samples.html': 'import httpx',
  '/reference/traceability.html': 'Decisions alone',
  '/reference/command-lines.html': 'Usage: berth-mock',
  '/packages/client.html': 'createGatewayClient',
  '/project/changelog.html': 'Changelog',
  '/api/gateway.v1.html': 'Call a path of a hosted service with GET',
  '/api/storage.v2.html': 'Storage API',
};

/** Pages with wide tables. */
const WIDE_PAGES = [
  '/reference/performance.html',
  '/reference/configuration.html',
  '/reference/rules.html',
];

const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1440, height: 900 };

describeOn('chromium', 'the site', () => {
  let site: Awaited<ReturnType<typeof serveSite>>;
  let browser: Browser;

  beforeAll(async () => {
    site = await serveSite();
    browser = await openBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await site?.[Symbol.asyncDispose]();
  });

  /** A page that records failed requests, requests to other hosts and script errors. */
  async function openPage(size: typeof PHONE) {
    const page = await browser.newPage({ viewport: size });
    const faults: string[] = [];
    page.on('request', (request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol.startsWith('http') && origin !== site.url) faults.push(request.url());
    });
    page.on('response', (response) => {
      if (response.status() >= 400) faults.push(`${response.status()} ${response.url()}`);
    });
    page.on('pageerror', (error) => faults.push(`${page.url()}: ${error.message}`));
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(`${page.url()}: ${message.text()}`);
    });
    return { page, faults };
  }

  it('every kind of page works, fits a desktop and a phone, and calls no other host', async () => {
    const { page, faults } = await openPage(DESKTOP);
    for (const [path, text] of Object.entries(PAGES)) {
      await page.goto(site.url + path, { waitUntil: 'networkidle' });
      expect(await page.getByText(text).count(), path).toBeGreaterThan(0);
      for (const size of [PHONE, DESKTOP]) {
        await page.setViewportSize(size);
        const width = () => page.evaluate('document.documentElement.scrollWidth');
        await expect.poll(width, { message: path }).toBe(size.width);
      }
    }
    expect(faults).toEqual([]);
    await page.close();
  });

  it('tables fit 1280 px, and scroll inside their frame on a phone', async () => {
    const { page } = await openPage(PHONE);
    const frames = page.locator('.rp-table-scroll-container');
    const widths = () =>
      frames.evaluateAll((all) =>
        all.map((one) => {
          const { scrollWidth = 0, clientWidth = 0 } = one as unknown as Record<string, number>;
          return { content: scrollWidth, frame: clientWidth };
        }),
      );
    for (const path of WIDE_PAGES) {
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.goto(site.url + path);
      const wide = (await widths()).filter(({ content, frame }) => content > frame);
      expect(wide, path).toEqual([]);
      await page.setViewportSize(PHONE);
      await expect.poll(async () => (await widths()).every(({ frame }) => frame < 390)).toBe(true);
      expect((await widths()).some(({ content, frame }) => content > frame)).toBe(true);
    }
    await page.close();
  });

  it('the landing page shows the commands, a program and the inspector, and the bar the version', async () => {
    const { page, faults } = await openPage(DESKTOP);
    await page.goto(site.url, { waitUntil: 'networkidle' });
    expect(await page.getByText('npm install @berth/client').count()).toBe(1);
    const picture = page.locator('.berth-home img');
    await picture.scrollIntoViewIfNeeded();
    const isShown = () => picture.evaluate((one: { naturalWidth?: number }) => one.naturalWidth);
    await expect.poll(isShown).toBeGreaterThan(500);
    expect(
      await page
        .locator('header, .rp-nav')
        .getByText(/^v\d+\.\d+/)
        .count(),
    ).toBeGreaterThan(0);
    expect(await page.locator('.rp-nav__title img').count()).toBeGreaterThan(0);
    expect(faults).toEqual([]);
    await page.close();
  });

  it('dark mode can be chosen and is remembered', async () => {
    const { page } = await openPage(DESKTOP);
    await page.goto(`${site.url}/start/client.html`);
    const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const light = await background();
    await page.locator('.rp-switch-appearance:visible').first().click();
    await expect.poll(background).not.toBe(light);
    const dark = await background();
    await page.reload();
    expect(await background()).toBe(dark);
    await page.close();
  });

  it('the menu leads to the API reference, which is a page of the site', async () => {
    const { page } = await openPage(DESKTOP);
    await page.goto(`${site.url}/start/client.html`);
    await page.getByText('API', { exact: true }).first().hover();
    await page.locator('.rp-nav').getByText('Storage API').first().click();
    await page.waitForURL('**/api/storage.v2.html');
    await page.locator('h1').filter({ hasText: 'Storage API' }).waitFor();
    for (const part of ['.rp-nav', '.rp-doc-layout__sidebar', '[class*=search-button]:visible'])
      expect(await page.locator(part).first().isVisible(), part).toBe(true);
    await page.close();
  });

  it('a page is copied as Markdown', async () => {
    const { page, faults } = await openPage(DESKTOP);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(`${site.url}/guides/uploads.html`);
    await page.getByText('Copy Markdown').first().click();
    const copied = () => page.evaluate<string>('navigator.clipboard.readText()');
    await expect.poll(copied).toMatch(/^(> .*\n+)?# /);
    expect(await copied()).toContain('Large files');
    expect(faults).toEqual([]);
    await page.close();
  });
});
