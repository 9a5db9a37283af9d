import { createStorageClient, tc3Storage } from '@berth/client';

const storage = createStorageClient({
  baseUrl: 'http://127.0.0.1:4010', // the mock
  envId: 'dev',
  credentials: tc3Storage({ secretId: 'any', secretKey: 'any' }), // never in a page
});

const { fileID } = await storage.upload('videos/a.mp4', { file: './a.mp4' }); // any file of yours
const link = await storage.tempUrl(fileID, { maxAge: 600 }); // seconds
const response = await storage.download(fileID, { range: { offset: 0, length: 1_024 } });
await storage.downloadToFile(fileID, './copy.mp4'); // never leaves a partial file
await storage.copy('/videos/a.mp4', '/archive/a.mp4', { overwrite: false });
await storage.move('/archive/a.mp4', '/archive/2026.mp4');
await storage.delete(fileID);
