import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import {
  createGatewayRouter,
  createStorageRouter,
  createUploadRouter,
  toUpgradeOptions,
} from '@berth/server-stubs';
import {
  createGatewaySignature,
  createKeyPairs,
  createStorageSignature,
} from '@berth/server-stubs/auth';
import { createMemoryStore, createStorage } from '@berth/storage';
import { createDownloadListener, createSigner } from '@berth/storage/node';
import express from 'express';
import { forwardTo } from './forward.ts';

const { PORT = '4030', TOKEN = 'any', KEY = 'secret', SERVICES = '{}' } = process.env;
const services = new Map<string, string>(Object.entries(JSON.parse(SERVICES)));
const pairs = createKeyPairs({ dev: { credentials: [{ id: 'me', secret: KEY }] } });

const gateway = createGatewayRouter(forwardTo(services), {
  env: 'dev',
  security: {
    bearerToken: (token, { env }) => token === TOKEN && { env, id: 'bearer' },
    signature: createGatewaySignature({ pairs }),
  },
});

// #region files
const { storage, upload, download } = createStorage({
  blobs: createMemoryStore(), // or a store of your own
  signer: createSigner([randomBytes(32)]), // share one key between all processes
  bucketOf: (env) => (env === 'dev' ? 'files' : undefined),
  publicUrl: `http://127.0.0.1:${PORT}`,
  onError: console.error,
});
const app = express()
  .use(gateway)
  .use(createStorageRouter(storage, { security: createStorageSignature({ pairs }) }))
  .use('/upload', createUploadRouter(upload))
  .use(createDownloadListener({ download }));
// #endregion

createServer(toUpgradeOptions(gateway.shouldUpgrade), app)
  .on('upgrade', gateway.upgrade)
  .on('error', ({ message }) => {
    console.error(`Cannot listen on port ${PORT}: ${message}`);
    process.exitCode = 1;
  })
  .listen(Number(PORT), () => console.log(`listening on http://127.0.0.1:${PORT}`));
