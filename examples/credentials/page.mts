// page.mts: run it with the access token that the mock prints, as TOKEN
import {
  bearer,
  createGatewayClient,
  createStorageClient,
  type StorageCredentials,
} from '@berth/client';

const baseUrl = 'http://127.0.0.1:4010';
const token = process.env.TOKEN ?? '';

const gateway = createGatewayClient({ baseUrl, auth: bearer(token) });
const signer = gateway.service('signer');
const storage = createStorageClient({
  baseUrl,
  envId: 'dev',
  credentials: () => signer.get<StorageCredentials>(),
});
console.log((await storage.upload('a.txt', 'from a page')).fileID);
