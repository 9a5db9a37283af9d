import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';
import { openBrowser } from '../../../../scripts/testing/browser.ts';
import { testOn } from '../../../../scripts/testing/engines.ts';
import { listen } from '../../../../scripts/testing/listen.ts';

async function bundle(input: string, options: { external: RegExp; treeshake?: boolean }) {
  const built = await rolldown({
    ...options,
    input: join(import.meta.dirname, input),
    platform: 'browser',
    resolve: { conditionNames: ['berth-source', 'browser', 'import'] },
  });
  const { output } = await built.generate({ format: 'esm', codeSplitting: false });
  return output[0];
}

test('the handlers import no Node.js modules', async () => {
  // An import of a Node.js module is visible even if it is not used.
  const options = { external: /^(node:|msw$)/, treeshake: false };
  expect((await bundle('../../src/msw/index.ts', options)).imports).toEqual(['msw']);
});

testOn('chromium')('the handlers respond to a page and keep its files', async () => {
  const { code } = await bundle('in-page.ts', { external: /^node:/ });
  const worker = await readFile(new URL(import.meta.resolve('msw/mockServiceWorker.js')));
  await using server = await listen(
    createServer((request, response) => {
      if (request.url === '/') {
        response
          .setHeader('content-type', 'text/html')
          .end('<script type="module" src="/page.js"></script>');
      } else {
        const script = { '/page.js': code, '/mockServiceWorker.js': worker }[String(request.url)];
        response.statusCode = script === undefined ? 404 : 200;
        response.setHeader('content-type', 'text/javascript').end(script);
      }
    }),
  );
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(server.url);
    const result = await page.evaluate('run()');
    expect(result).toEqual({
      order: { id: '7' },
      news: 'retry: 1\nid: 1\ndata: one\n\nid: 2\ndata: two\n\n',
      message: 'You said: Hello',
      upload: 204,
      content: 'A file.',
      files: ['a.txt'],
    });
  } finally {
    await browser.close();
  }
});
