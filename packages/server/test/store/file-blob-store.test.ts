import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDiskStore } from '../../src/store/disk.ts';
import { describeBlobStore } from './blob-store-suite.ts';
import { newTempFolder } from './temp-folder.ts';

describeBlobStore('file', async () => {
  const root = await newTempFolder();
  const store = await openDiskStore({ root });
  return {
    store,
    other: store,
    leftovers: () => readdir(join(root, 'tmp')),
    plantLitter: () => writeFile(join(root, 'tmp', 'litter'), 'half of a file'),
    dispose: () => rm(root, { recursive: true }),
  };
});
