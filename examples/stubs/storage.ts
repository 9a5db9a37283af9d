const remove = async (_envId: string, fileID: string) => ({ fileID, code: 'SUCCESS' });
const findCaller = async (..._credentials: unknown[]) => ({ name: 'me' });

// #region router
import { createStorageRouter, StorageError } from '@berth/server-stubs';
import express from 'express';

const storage = createStorageRouter(
  {
    batchDelete: async ({ fileList }, { envId }) => ({
      fileList: await Promise.all(fileList.map((fileID) => remove(envId, fileID))),
    }),
  },
  {
    env: 'dev',
    security: {
      credentials: async ({ authorization, timestamp }) => findCaller(authorization, timestamp),
    },
  },
);

express().use(storage).listen(8080); // or: http.createServer(storage).listen(8080)
// #endregion
