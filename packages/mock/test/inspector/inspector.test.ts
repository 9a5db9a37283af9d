import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createMock, type Mock } from '@berth/mock';
import { openBrowser } from '@berth/runtimes/browser';
import { describeOn, testOn } from '@berth/runtimes/engines';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { upload } from '../helpers/upload.ts';

describeOn('chromium', 'the inspector', () => {
  let browser: Browser;
  let context: BrowserContext;
  let mock: Mock;
  let page: Page;
  /** What the page must not do but did: calls to other hosts, errors, blocked scripts. */
  let complaints: string[];

  beforeAll(async () => {
    browser = await openBrowser();
    context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
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

  const open = async (hash = '') => {
    await page.goto(`${mock.url}/__mock${hash}`);
    await page.locator('.live.on').waitFor();
  };
  const callStorage = (operation: string, body: object) =>
    fetch(`${mock.storageUrl}/api/v2/envs/dev/storages:${operation}`, {
      method: 'POST',
      headers: {
        'x-svc-authorization': 'a-secret-of-mine',
        'x-svc-timestamp': '1',
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });
  const callHello = (path = '') =>
    fetch(`${mock.gatewayUrl}/v1/cloudrun/hello${path}`, {
      headers: { authorization: 'Bearer a-secret-of-mine' },
    });

  test('shows each call as it arrives, with its contract violations', async () => {
    await callHello('/before');
    await open();
    await page.getByText('/v1/cloudrun/hello/before').waitFor();
    await callStorage('batchDelete', { fileList: 'all' });
    const row = page.locator('tr[data-id]').first();
    await row.getByText('1 violation').waitFor();
    await row.click();
    const detail = page.locator('.detail');
    await detail.getByText('batchDelete', { exact: true }).waitFor();
    const violation = detail.locator('.violations');
    await violation.getByText('/fileList').first().waitFor();
    expect(await violation.textContent()).toContain('type');
    expect(await page.content()).not.toContain('a-secret-of-mine');
  });

  test('sends calls with chosen credentials: an upload in both steps, and its link', async () => {
    await open('#try');
    const operation = page.getByLabel('Operation');
    const send = async (id: string, body?: object) => {
      await operation.selectOption(id);
      if (body) await page.getByLabel('Body').fill(JSON.stringify(body));
      await page.getByRole('button', { name: 'Send' }).click();
    };
    const shows = (text: string) =>
      page.getByLabel('Response').getByText(text, { exact: false }).first().waitFor();
    await send('cloudrun-get');
    await shows('Response 200');
    await shows('Hello from the hosted service.');
    await page.getByLabel('Credentials').fill('');
    await page.getByRole('button', { name: 'Send' }).click();
    await shows('MISSING_CREDENTIALS');
    complaints = complaints.filter((text) => !text.includes('401 (Unauthorized)'));

    await send('getUploadMetaData', { path: 'a b.txt' });
    await shows('storeFileID');
    await send('uploadFile');
    await shows('Response 204');
    expect(mock.session().files.list()).toMatchObject([{ path: 'a b.txt', size: 17 }]);
    await send('batchGetTempUrls', { fileList: [{ fileID: 'cloud://dev.files/a b.txt' }] });
    await shows('sign=');
    await page.getByRole('button', { name: 'Show in the log' }).click();
    await page.locator('.detail').getByText('batchGetTempUrls', { exact: true }).waitFor();
  });

  test('can be used with the keyboard alone', async () => {
    await callHello('/first');
    await callHello('/second');
    await open();
    await page.locator('tr[data-id]').nth(1).waitFor();
    await page.keyboard.press('j');
    await page.locator('.detail h2', { hasText: '/second' }).waitFor();
    await page.keyboard.press('j');
    await page.locator('.detail h2', { hasText: '/first' }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.detail').waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    await page.keyboard.type('first');
    await page.locator('tr[data-id]').nth(1).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.keyboard.press('x');
    await page.getByText('No calls yet.').waitFor();
    expect(mock.session().requests()).toEqual([]);
    await page.keyboard.press('5');
    await page.getByRole('heading', { name: 'Errors' }).waitFor();
  });

  testOn('curl')(
    'copies a call as an equivalent command, which reads no file and calls no other server',
    async () => {
      const authorization = 'Bearer a-secret-of-mine';
      await fetch(`${mock.url}//other.example/[a-c]/upload`, {
        method: 'POST',
        body: '@/etc/hosts',
        headers: { authorization },
      });
      await open();
      await page.locator('tr[data-id]').click();
      await page.keyboard.press('c');
      await page.getByText('Copied.').waitFor();
      const command = await page.evaluate<string>('navigator.clipboard.readText()');
      expect(command).toContain("curl -g --path-as-is -X POST '");
      expect(command).not.toContain('a-secret-of-mine');
      await promisify(execFile)('sh', ['-c', `${command} --silent --max-time 10`]);
      const sent = mock
        .session()
        .requests()
        .map(({ request: { target, body } }) => [target, Buffer.from(body ?? []).toString()]);
      const same = ['//other.example/[a-c]/upload', '@/etc/hosts'];
      expect(sent).toEqual([same, same]);
    },
  );

  test('shows and changes files, clock, faults and services', async () => {
    await upload(mock, 'reports/a b.txt', 'Hello');
    await open('#state');
    await page.getByRole('link', { name: 'reports/a b.txt' }).waitFor();
    await page.getByRole('button', { name: '+ 1h' }).click();
    await page.getByText('set', { exact: true }).waitFor();
    expect(mock.session().clock.state().offset).toBeGreaterThan(3_590_000);
    await page.getByRole('button', { name: 'Delete reports/a b.txt' }).click();
    await page.getByText('No files yet.').waitFor();
    expect(mock.session().files.list()).toEqual([]);

    await page.keyboard.press('4');
    await page.getByLabel('Fault', { exact: true }).selectOption('code');
    await page.getByLabel('Calls', { exact: true }).selectOption('gateway');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByText('Error code needs a value').waitFor();
    await page.getByLabel('Value', { exact: true }).fill('SERVICE_TIMEOUT');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('button', { name: 'Remove' }).waitFor();
    expect((await callHello()).status).toBe(504);
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Remove' }).waitFor({ state: 'detached' });
    expect((await callHello()).status).toBe(200);

    await page.getByLabel('State of hello').selectOption('SERVICE_NOT_READY');
    await expect.poll(async () => (await callHello()).status).not.toBe(200);
  });

  test("shows the mock's message for an invalid fault", async () => {
    await open('#faults');
    await page.getByLabel('Fault', { exact: true }).selectOption('latency');
    await page.getByLabel('Value', { exact: true }).fill('soon');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.locator('.notice.bad').waitFor();
    expect(await page.locator('.notice.bad').textContent()).toMatch(/latency/);
    // The browser reports on its console that a call was rejected.
    complaints = complaints.filter((text) => !text.includes('400 (Bad Request)'));
  });

  test('has enough contrast in light and dark colours', async () => {
    await callHello();
    await callStorage('nothing', {});
    await open();
    await page.locator('tr[data-id]').first().click();
    await page.locator('.detail').waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const pairs = await page.evaluate(listColours);
      expect(pairs.length).toBeGreaterThan(10);
      const weak = pairs.filter(({ ink, ground }) => contrast(ink, ground) < 4.5);
      expect(weak).toEqual([]);
    }
  });

  test('fits the windows of a phone and a desktop', async () => {
    await callHello(`/${'long/'.repeat(40)}`);
    for (const hash of ['#requests', '#try', '#state', '#faults', '#reference']) {
      await open(hash);
      for (const width of [390, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        const [scroll, client] = await page.evaluate<number[]>(
          '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
        );
        expect(scroll).toBeLessThanOrEqual(client as number);
      }
    }
  });

  test('shows what a caller sends as text, never as part of the page', async () => {
    const text = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
    await callStorage(`batchDelete${encodeURIComponent(text)}`, { fileList: [text] });
    await open();
    await page.locator('tr[data-id]').click();
    await page.locator('.detail pre', { hasText: '<img src=x' }).first().waitFor();
    expect(await page.title()).toBe('Berth mock');
  });
});

/** Returns the colours of each text and its background. Runs in the page. */
const listColours =
  `[...document.querySelectorAll('td, th, button, h1, h2, a, dt, dd, code, .badge, .status, .quiet')]
  .filter((element) => element.textContent.trim() !== '')
  .map((element) => {
    let ground = element;
    while (getComputedStyle(ground).backgroundColor === 'rgba(0, 0, 0, 0)' && ground.parentElement) ground = ground.parentElement;
    return { text: element.textContent.slice(0, 30), ink: getComputedStyle(element).color, ground: getComputedStyle(ground).backgroundColor };
  })` as unknown as () => { text: string; ink: string; ground: string }[];

/** Contrast of two colours (WCAG 2.2, 1.4.3). */
function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return ((light as number) + 0.05) / ((dark as number) + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map((part) => {
    const share = Number(part) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
