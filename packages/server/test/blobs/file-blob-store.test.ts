import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFileBlobStore } from '../../src/blobs/file/create-file-blob-store.ts';
import { describeBlobStore } from './blob-store-suite.ts';
import { newTempFolder } from './temp-folder.ts';

describeBlobStore('file', async () => {
  const root = await newTempFolder();
  return {
    store: await createFileBlobStore({ root }),
    other: await createFileBlobStore({ root }),
    leftovers: () => readdir(join(root, 'tmp')),
    plantLitter: () => writeFile(join(root, 'tmp', 'litter'), 'half of a file'),
    dispose: () => rm(root, { recursive: true }),
  };
});
