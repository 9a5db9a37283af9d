// What the client's README shows, against a mock at the given URL.
import assert from 'node:assert/strict';
import { bearer, createGatewayClient, createStorageClient } from '@berth/client';

const [, , baseUrl] = process.argv;

const gateway = createGatewayClient({ baseUrl, auth: bearer('any') });
assert.deepEqual(await gateway.service('hello').get('a/b?x=1'), {
  message: 'Hello from the hosted service.',
});
const raw = await gateway.GET('/v1/cloudrun/{name}', { params: { path: { name: 'hello' } } });
assert.equal(raw.response.status, 200);

const storage = createStorageClient({
  baseUrl,
  envId: 'dev',
  credentials: { authorization: '1.0 any', timestamp: '1700000000' },
});
const { fileID } = await storage.upload('reports/summary.txt', 'Hello.');
const link = await storage.tempUrl(fileID);
assert.equal(await (await fetch(link)).text(), 'Hello.');
assert.equal(await (await storage.download(fileID)).text(), 'Hello.');
await storage.delete(fileID);
await assert.rejects(storage.download(fileID), { code: 'STORAGE_FILE_NONEXIST' });
process.stdout.write('uploaded, linked, downloaded, deleted, called\n');
