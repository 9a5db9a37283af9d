import { createServer, defaultClientConditions } from 'vite';
import { expect } from 'vitest';
import { openBrowser } from '../../scripts/testing/browser.ts';
import { testOn } from '../../scripts/testing/engines.ts';
import { copyExample, runIn } from './run-example.ts';

testOn('chromium')('the page of the MSW guide gets its data from the worker', async () => {
  const root = await copyExample('vite');
  await runIn(root, ['msw', 'init', 'public', '--save']);
  const server = await createServer({
    root,
    configFile: false,
    logLevel: 'error',
    resolve: { conditions: ['berth-source', ...defaultClientConditions] },
    server: { host: '127.0.0.1', port: 0, hmr: false },
  });
  const browser = await openBrowser();
  try {
    await server.listen();
    const page = await browser.newPage();
    await page.goto(String(server.resolvedUrls?.local[0]));
    await page.getByRole('heading', { name: 'Hello, Ada.' }).waitFor();
    await page.getByText('Bob called.').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved: Buy milk.').waitFor();
    expect(await page.title()).toBe('Notes');
  } finally {
    await browser.close();
    await server.close();
  }
});
