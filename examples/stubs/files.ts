const findCaller = async (..._credentials: unknown[]) => ({ env: 'dev', id: 'me' });

// #region server
import { randomBytes } from 'node:crypto';
import { createStorageRouter, createUploadRouter } from '@berth/server-stubs';
import { createMemoryStore, createStorage } from '@berth/storage';
import { createDownloadListener, createSigner } from '@berth/storage/node';
import express from 'express';

const onError = (error: unknown) => process.emitWarning(error as Error);
const { storage, upload, download } = createStorage({
  blobs: createMemoryStore(), // or a store of your own
  signer: createSigner([randomBytes(32)]), // the same key in every process
  bucketOf: (env) => (env === 'dev' ? 'files' : undefined),
  publicUrl: 'http://localhost:8080',
  onError,
});
const app = express();
app.use(createStorageRouter(storage, { security: { credentials: findCaller } }));
app.use('/upload', createUploadRouter(upload));
app.use(createDownloadListener({ download, onError }));
app.listen(8080);
// #endregion
