import { createGatewayRouter, createStorageRouter, createUploadRouter } from '@berth/server-stubs';
import express, { type Express } from 'express';
import { gatewayHandlers, storageHandlers } from './handlers/index.ts';
import { uploadFile } from './handlers/uploadFile.ts';
import { bearerToken, credentials, signature } from './security.ts';

/**
 * Serves the complete API for one environment from an Express app: upload target, storage API and
 * gateway.
 */
export function createApp(env = process.env.ENV_ID ?? 'dev'): Express {
  const app = express();
  app.disable('x-powered-by');
  app.use('/upload', createUploadRouter({ uploadFile }));
  app.use(createStorageRouter(storageHandlers, { env, security: { credentials } }));
  app.use(createGatewayRouter(gatewayHandlers, { env, security: { bearerToken, signature } }));
  return app;
}
