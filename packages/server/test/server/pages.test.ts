import type { ServerResponse } from 'node:http';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../../../../scripts/testing/browser.ts';
import { describeOn } from '../../../../scripts/testing/engines.ts';
import { startService } from './support/hosted-service.ts';
import { startServer } from './support/start-server.ts';

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describeOn('chromium', 'a page of another origin', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  /** Opens a page whose origin is not the server's. Its scripts get the URL of `hello` and the headers of a call. */
  async function openPage(hello: string) {
    const { url, token } = await startServer({}, { services: { hello: { endpoints: [hello] } } });
    const site = await startService((_, response) =>
      response.setHeader('content-type', 'text/html').end('<title>A page</title>'),
    );
    const page = await browser.newPage();
    await page.goto(site);
    const headers = {
      authorization: `Bearer ${token}`,
      'X-SDK-Version': '1.2.3',
      traceparent: TRACE,
    };
    return { page, call: { url: `${url}/v1/cloudrun/hello`, headers } };
  }

  test('sends headers of its own to a service, and reads those that the service exposes', async () => {
    const hello = await startService(({ headers }, response) => {
      response.setHeader('access-control-expose-headers', 'X-Total');
      response.setHeader('x-total', '7').setHeader('x-hidden', '8');
      response.end(`${headers['x-sdk-version']} ${headers.traceparent}`);
    });
    const { page, call } = await openPage(hello);
    const result = await page.evaluate(async ({ url, headers }) => {
      const response = await fetch(`${url}/list`, { method: 'POST', headers, body: '{}' });
      const names = ['x-total', 'x-hidden', 'x-request-id'];
      return [await response.text(), ...names.map((name) => response.headers.get(name))];
    }, call);
    expect(result).toEqual([`1.2.3 ${TRACE}`, '7', null, expect.stringMatching(/./)]);
    await page.close();
  });

  test('follows an event stream of a service', async () => {
    let stream: ServerResponse | undefined;
    const hello = await startService(({ method }, response) => {
      if (method === 'POST') {
        response.end();
        stream?.end('data: two\n\n');
      } else {
        stream = response;
        response.setHeader('content-type', 'text/event-stream').write('data: one\n\n');
      }
    });
    const { page, call } = await openPage(hello);
    const events = await page.evaluate(async ({ url, headers }) => {
      const { body } = await fetch(url, { headers });
      const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
      const first = await reader?.read();
      // The service only sends the second event after this call.
      await fetch(url, { method: 'POST', headers });
      return [first?.value, (await reader?.read())?.value, (await reader?.read())?.done];
    }, call);
    expect(events).toEqual(['data: one\n\n', 'data: two\n\n', true]);
    await page.close();
  });
});
