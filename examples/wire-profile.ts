import { createStorageClient, toWireProfile } from '@berth/client';
import { createMock } from '@berth/mock';
import acme from '@berth/spec/wire-profiles/acme.json' with { type: 'json' };

await using mock = await createMock({ wireProfile: acme });
const storage = createStorageClient({
  baseUrl: mock.storageUrl,
  envId: 'dev',
  credentials: { authorization: '1.0 any', timestamp: '1700000000' },
  wireProfile: toWireProfile(acme),
});
const { fileID } = await storage.upload('a.txt', 'in other words');
console.log(await (await storage.download(fileID)).text());
