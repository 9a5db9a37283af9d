// start.mts
import { bearer, createGatewayClient, createStorageClient } from '@berth/client';

const baseUrl = 'http://127.0.0.1:4010'; // the mock, which accepts any credentials
const gateway = createGatewayClient({ baseUrl, auth: bearer('dev') });
console.log(await gateway.service('hello').get());

const credentials = { authorization: '1.0 any', timestamp: '1700000000' };
const storage = createStorageClient({ baseUrl, envId: 'dev', credentials });
const { fileID } = await storage.upload('reports/summary.txt', 'Hello.');
console.log(await (await storage.download(fileID)).text());
