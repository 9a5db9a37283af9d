// The storage router of the package, with both validations on, as by default.
import { createStorageRouter } from '@berth/server-stubs';
import { deleteAll } from './stubs-handler.ts';

export const router = createStorageRouter(
  { batchDelete: ({ fileList }) => deleteAll(fileList) },
  { security: { credentials: () => 'bench' } },
);
