import { bearer, createGatewayClient, createStorageClient } from '@berth/client';

const gateway = createGatewayClient({ baseUrl: 'http://127.0.0.1:4010', auth: bearer('dev') });
const data = await gateway.service('hello').get('a/b?x=1');

const storage = createStorageClient({
  baseUrl: 'http://127.0.0.1:4010',
  envId: 'dev',
  credentials: { authorization: '1.0 any', timestamp: '1700000000' }, // the mock accepts any
});
const { fileID } = await storage.upload('reports/summary.txt', 'Hello.');
const text = await (await storage.download(fileID)).text();
