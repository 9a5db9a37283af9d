import { createGatewayRouter, createStorageRouter, createUploadRouter } from '@berth/server-stubs';
import express, { type Express } from 'express';
import { batchCopyFile } from './handlers/batchCopyFile.ts';
import { batchDelete } from './handlers/batchDelete.ts';
import { batchGetTempUrls } from './handlers/batchGetTempUrls.ts';
import { cloudrunGet } from './handlers/cloudrun-get.ts';
import { cloudrunGetRoot } from './handlers/cloudrun-get-root.ts';
import { cloudrunPost } from './handlers/cloudrun-post.ts';
import { cloudrunPostRoot } from './handlers/cloudrun-post-root.ts';
import { getUploadMetaData } from './handlers/getUploadMetaData.ts';
import { uploadFile } from './handlers/uploadFile.ts';
import { bearerToken, credentials, signature } from './security.ts';

/** The whole API in one Express app: upload target, storage and gateway of one environment. */
export function createApp(env = process.env.ENV_ID ?? 'dev'): Express {
  const app = express();
  app.disable('x-powered-by');
  app.use('/upload', createUploadRouter({ uploadFile }));
  app.use(
    createStorageRouter(
      { getUploadMetaData, batchGetTempUrls, batchDelete, batchCopyFile },
      { env, security: { credentials } },
    ),
  );
  app.use(
    createGatewayRouter(
      {
        'cloudrun-get-root': cloudrunGetRoot,
        'cloudrun-post-root': cloudrunPostRoot,
        'cloudrun-get': cloudrunGet,
        'cloudrun-post': cloudrunPost,
      },
      { env, security: { bearerToken, signature } },
    ),
  );
  return app;
}
