import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bearer, createGatewayClient, createStorageClient } from '@berth/client';
import { createMock } from '@berth/mock';
import { openBrowser } from '@berth/runtimes/browser';

/**
 * Takes the pictures of the site: the inspector of the mock after some calls, for the landing page, and the
 * report of the conformance suite.
 */
const IMAGES = join(import.meta.dirname, '../images');

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
await page.screenshot({ path: join(IMAGES, 'inspector.png') });

const folder = await mkdtemp(join(tmpdir(), 'berth-screenshot-'));
const report = join(folder, 'report.html');
const suite = fileURLToPath(import.meta.resolve('@berth/conformance/package.json'));
const CONFORMANCE = [
  ...['--conditions=berth-source', join(dirname(suite), 'src/cli.ts')],
  ...['--gateway-url', baseUrl, '--storage-url', baseUrl, '--gateway-token', 'any'],
  ...['--storage-header', 'X-Svc-Authorization: 1.0 any'],
  ...['--storage-header', 'X-Svc-TimeStamp: 1700000000'],
  ...['--only', 'ST-DELETE', '--report', `html=${report}`],
];
// The mock breaks no rule about files, so a fault provides a finding to show.
mock.session().faults.put('delete', 'batchDelete:code=SYS_ERR');
await once(spawn(process.execPath, CONFORMANCE, { stdio: 'inherit' }), 'exit');
await page.setViewportSize({ width: 1040, height: 560 });
await page.goto(pathToFileURL(report).href);
await page.evaluate("document.querySelector('details.is-fail').scrollIntoView()");
await page.screenshot({ path: join(IMAGES, 'report.png') });
await browser.close();
await rm(folder, { recursive: true });
