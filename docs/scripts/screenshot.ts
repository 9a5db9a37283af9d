import { join } from 'node:path';
import { bearer, createGatewayClient, createStorageClient } from '@berth/client';
import { createMock } from '@berth/mock';
import { openBrowser } from '@berth/runtimes/browser';

/** Takes the picture of the landing page: the inspector of the mock, after some calls. */
const FILE = join(import.meta.dirname, '../images/inspector.png');

await using mock = await createMock({ port: 4010 });

const baseUrl = mock.url;
const gateway = createGatewayClient({ baseUrl, auth: bearer('any') });
await gateway.service('hello').get('a/b?x=1');

const credentials = { authorization: '1.0 any', timestamp: '1700000000' };
const storage = createStorageClient({ baseUrl, envId: 'dev', credentials });
const { fileID } = await storage.upload('reports/may.txt', 'Sold: 12');
await (await fetch(await storage.tempUrl(fileID))).text();
await gateway
  .service('orders')
  .get('7')
  .catch(() => 'there is no such service');

const wrong = await fetch(`${baseUrl}/api/v2/envs/dev/storages:batchDelete`, {
  method: 'POST',
  headers: {
    'content-type': 'application/json',
    'x-svc-authorization': '1.0 any',
    'x-svc-timestamp': '1700000000',
  },
  body: JSON.stringify({ fileList: fileID }),
});
await wrong.text();

const browser = await openBrowser();
const page = await browser.newPage({ viewport: { width: 1040, height: 430 } });
await page.goto(`${mock.url}/__mock`);
await page.locator('tr[data-id]', { hasText: '1 violation' }).first().click();
await page.locator('.detail').waitFor();
await page.screenshot({ path: FILE });
await browser.close();
