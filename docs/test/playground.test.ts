import { openBrowser } from '@berth/runtimes/browser';
import { describeOn } from '@berth/runtimes/engines';
import { startStopwatch } from '@berth/runtimes/stopwatch';
import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { serveSite } from './support/serve-site.ts';

/** The statuses that the contract documents, by operationId. */
const STATUSES = new Map(
  [gateway, storage].flatMap(({ paths }) =>
    Object.values<object>(paths).flatMap((item) =>
      Object.values<{ operationId?: string; responses?: object }>(item as never)
        .filter(({ operationId }) => operationId)
        .map(({ operationId, responses = {} }) => [operationId, Object.keys(responses)] as const),
    ),
  ),
);

describeOn('chromium', 'the playground', () => {
  let site: Awaited<ReturnType<typeof serveSite>>;
  let browser: Browser;
  let page: Page;
  /** Requests to other hosts, and script errors. */
  let faults: string[];

  beforeAll(async () => {
    site = await serveSite();
    browser = await openBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await site?.[Symbol.asyncDispose]();
  });

  beforeEach(async () => {
    const context = await browser.newContext();
    faults = [];
    context.on('request', (request) => {
      if (new URL(request.url()).origin !== site.url) faults.push(request.url());
    });
    page = await context.newPage();
    page.on('pageerror', ({ message }) => faults.push(message));
  });

  afterEach(async () => {
    expect(faults).toEqual([]);
    await page.context().close();
  });

  const open = (id: string) => page.goto(`${site.url}/playground/#${id}`);
  const run = () => page.getByRole('button', { name: 'Run' }).click();
  const response = () => page.getByRole('region', { name: 'Response' });
  const status = () => response().getByRole('status').textContent();

  async function runTo(expected: RegExp): Promise<void> {
    await run();
    await expect.poll(status).toMatch(expected);
  }

  it('shows the first response within 3 s of opening the page', async () => {
    let best = Number.POSITIVE_INFINITY;
    // The stopwatch does not know when the browser has to wait for the processor: the best of five counts.
    for (let attempt = 0; attempt < 5 && best >= 3_000; attempt += 1) {
      await page.context().close();
      page = await (await browser.newContext()).newPage();
      const elapsed = startStopwatch();
      await open('cloudrun-get');
      await runTo(/^Status 200, \d+ ms$/);
      best = Math.min(best, elapsed());
    }
    expect(best).toBeLessThan(3_000);
    expect(await response().textContent()).toContain('Hello from the hosted service.');
  });

  it('every operation responds with a status that the contract documents', async () => {
    await open('');
    const operations = page.getByLabel('Operation');
    await expect.poll(() => operations.locator('option').count()).toBe(STATUSES.size);
    const ids = await operations
      .locator('option')
      .evaluateAll((all) => all.map((one) => (one as unknown as { value: string }).value));
    expect(ids.toSorted()).toEqual([...STATUSES.keys()].toSorted());
    for (const id of ids) {
      await operations.selectOption(id);
      await runTo(/^Status \d+, \d+ ms$/);
      const [, code = ''] = /^Status (\d+)/.exec((await status()) ?? '') ?? [];
      const documented = STATUSES.get(id) ?? [];
      expect(
        documented.some((one) => one === code || one === `${code[0]}XX`),
        `${id}: ${code}`,
      ).toBe(true);
    }
  });

  it('uploads a file and opens its link, even if the browser has stopped the worker', async () => {
    await open('getUploadMetaData');
    await page.getByLabel('Body').fill('{ "path": "notes/today.txt" }');
    await runTo(/^Status 200,/);
    await response().getByRole('button', { name: 'Next: uploadFile' }).click();
    const file = { name: 'today.txt', mimeType: 'text/plain', buffer: Buffer.from('Sold: 12') };
    await page.getByLabel('File to send').setInputFiles(file);
    await runTo(/^Status 204,/);
    await response().getByRole('button', { name: 'Next: batchGetTempUrls' }).click();
    await runTo(/^Status 200,/);
    const tools = await page.context().newCDPSession(page);
    await tools.send('ServiceWorker.enable');
    await tools.send('ServiceWorker.stopAllWorkers');
    const popup = page.waitForEvent('popup');
    await response().getByRole('link', { name: 'Open notes/today.txt' }).click();
    await expect.poll(async () => (await popup).locator('body').textContent()).toBe('Sold: 12');
  });

  it('shows events one by one', async () => {
    await open('cloudrun-get-root');
    await page.getByLabel('name', { exact: true }).fill('clock');
    await page.getByLabel('Accept').selectOption('text/event-stream');
    await run();
    const events = response().getByRole('list', { name: 'Events' }).getByRole('listitem');
    await expect.poll(() => events.count()).toBe(1);
    expect(await status()).toContain('still arriving');
    await expect.poll(() => events.count()).toBe(3);
    await page.getByRole('button', { name: 'Stop' }).click();
    await expect.poll(status).toContain('Stopped.');
    expect(await events.count()).toBeLessThan(10);
  });

  it('injects faults', async () => {
    await open('batchDelete');
    await page.getByLabel('X-Mock-Fault').selectOption('code=EXCEED_RATELIMIT');
    await runTo(/^Status 429,/);
    await response()
      .getByText(/^\d+ headers$/)
      .click();
    expect(await response().textContent()).toMatch(/retry-after: \d/);
    await page.getByLabel('X-Mock-Fault').selectOption('truncate=20');
    await runTo(/No complete response/);
  });

  it('works after the site has changed to its page', async () => {
    await page.goto(`${site.url}/start/client.html`);
    await page.locator('a[href*="/playground/"]:visible').first().click();
    await expect.poll(() => page.getByRole('button', { name: 'Run' }).isEnabled()).toBe(true);
    await runTo(/^Status 200,/);
  });

  it('opens the operation of a link in the API reference', async () => {
    await page.goto(`${site.url}/api/storage.v2.html#batchDelete`);
    await page.locator('a[href$="#batchDelete"]', { hasText: 'Try it' }).first().click();
    await expect.poll(() => page.getByLabel('Operation').inputValue()).toBe('batchDelete');
  });

  it('runs the programs of the docs, from a link below them', async () => {
    await page.goto(`${site.url}/guides/uploads.html`);
    await page.getByRole('link', { name: 'Run it in the playground' }).first().click();
    await page.waitForURL(/\/playground\/.*run=/);
    const programs = await page.evaluate<object>(
      `fetch('/playground/programs.json').then((r) => r.json())`,
    );
    expect(Object.keys(programs).length).toBeGreaterThan(8);
    for (const name of Object.keys(programs)) {
      await page.goto(`${site.url}/playground/?run=${name}`);
      await run();
      const output = page.getByRole('log');
      await expect.poll(() => output.textContent(), { message: name }).toMatch(/Done\.\s$|Error/);
      expect(await output.textContent(), name).not.toContain('Error');
    }
  });

  it('sends nothing to other hosts', async () => {
    await open('');
    const policy = page.locator('meta[http-equiv="Content-Security-Policy"]');
    expect(await policy.getAttribute('content')).toContain("default-src 'self';");
    const sent = page.evaluate(
      `fetch('https://berth.example/').then(() => 'sent', () => 'refused')`,
    );
    expect(await sent).toBe('refused');
  });
});
