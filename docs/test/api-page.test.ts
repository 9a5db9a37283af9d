import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { openBrowser } from '../../scripts/testing/browser.ts';
import { testOn } from '../../scripts/testing/engines.ts';
import { stageApiPage } from '../scripts/stage-api-page.ts';

/** The mock of `npm start`, whose address the commands on the page call. */
const MOCK = 'http://127.0.0.1:4010';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
};

const test = testOn('chromium');

test('the API reference responds to calls in the page, and calls no other host', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-api-page-'));
  await stageApiPage(folder);
  const server = createServer(({ url = '' }, response) => {
    const file = join(folder, new URL(url, 'http://localhost').pathname);
    response.setHeader('Content-Type', TYPES[extname(file)] ?? 'application/octet-stream');
    createReadStream(file)
      .on('error', () => response.writeHead(404).end())
      .pipe(response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const browser = await openBrowser();
  try {
    const context = await browser.newContext();
    const foreign: string[] = [];
    context.on('request', (request) => {
      const allowed = ['data:', 'blob:', origin, MOCK];
      if (!allowed.some((start) => request.url().startsWith(start))) foreign.push(request.url());
    });
    context.on('response', (response) => {
      const isMock = response.url().startsWith(MOCK);
      if (isMock && !response.fromServiceWorker()) foreign.push(response.url());
    });
    const page = await context.newPage();
    await page.goto(`${origin}/api/index.html?api=gateway`);
    const greeting = await send(page, 'Call the root of a hosted service with POST');
    expect(greeting).toContain('Hello from the hosted service.');
    await page.goto(`${origin}/api/index.html?api=storage`);
    expect(await send(page, 'Upload the content of a file')).toContain('204 No Content');
    expect(await send(page, 'Get temporary download links')).toContain(`${MOCK}/files/`);
    expect(await send(page, 'Delete files')).toContain('"code": "SUCCESS"');
    expect(foreign).toEqual([]);
  } finally {
    await browser.close();
    server.close();
    await rm(folder, { recursive: true, force: true });
  }
});

/** Selects an operation in the sidebar, sends its example, and returns what the dialog shows once it has a status. */
async function send(page: Page, operation: string): Promise<string> {
  await page.getByRole('link', { name: operation }).click();
  const section = page.locator('section', { has: page.getByRole('heading', { name: operation }) });
  await section.last().getByRole('button', { name: 'Test Request' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: /^Send (get|post) request/ }).click();
  await dialog
    .getByText(/^\s*[2-5]\d\d [A-Z]/)
    .first()
    .waitFor();
  const text = await dialog.textContent();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  return text ?? '';
}
