import { createGatewayClient, createStorageClient, tc3, tc3Storage } from '@berth/client';
import { createMock } from '@berth/mock';

await using mock = await createMock({ credentials: 'strict' });
const { id: secretId, secret: secretKey } = await mock.credentials();

const gateway = createGatewayClient({
  baseUrl: mock.gatewayUrl,
  auth: tc3({ secretId, secretKey }),
});
console.log(await gateway.service('hello').get());

const storage = createStorageClient({
  baseUrl: mock.storageUrl,
  envId: 'dev',
  credentials: tc3Storage({ secretId, secretKey }),
});
console.log((await storage.upload('a.txt', 'signed')).fileID);
