import { expect, test } from 'vitest';
import { openBrowser } from '../../../../scripts/testing/browser.ts';
import { describeOn } from '../../../../scripts/testing/engines.ts';
import { startService } from './support/hosted-service.ts';
import { startInFront } from './support/start-server.ts';

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describeOn('chromium', 'a page of another origin', () => {
  test('sends headers of its own to a service, and reads those that the service exposes', async () => {
    const { url, token } = await startInFront(({ headers }, response) => {
      response.setHeader('access-control-expose-headers', 'X-Total');
      response.setHeader('x-total', '7').setHeader('x-hidden', '8');
      response.end(`${headers['x-sdk-version']} ${headers.traceparent}`);
    });
    const site = await startService((_, response) =>
      response.setHeader('content-type', 'text/html').end('<title>A page</title>'),
    );
    const authorization = `Bearer ${token}`;
    const headers = { authorization, 'X-SDK-Version': '1.2.3', traceparent: TRACE };
    const browser = await openBrowser();
    const page = await browser.newPage();
    await page.goto(site);
    const result = await page.evaluate(
      async ([target, headers]) => {
        const response = await fetch(target, { method: 'POST', headers, body: '{}' });
        const names = ['x-total', 'x-hidden', 'x-request-id'];
        return [await response.text(), ...names.map((name) => response.headers.get(name))];
      },
      [`${url}/v1/cloudrun/hello/list`, headers] as const,
    );
    await browser.close();
    expect(result).toEqual([`1.2.3 ${TRACE}`, '7', null, expect.stringMatching(/./)]);
  });
});
