// The package's storage router, with the default request and response validation.
import { createStorageRouter } from '@berth/server-stubs';
import { deleteAll } from './stubs-handler.ts';

export const router = createStorageRouter(
  { batchDelete: ({ fileList }) => deleteAll(fileList) },
  { security: { credentials: () => 'bench' } },
);
