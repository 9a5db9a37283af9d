import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { BlobMissingError } from '../../../src/blobs/blob-store.ts';
import { createFileBlobStore } from '../../../src/blobs/file/create-file-blob-store.ts';

// Moves files to separate places when the parent sends the start signal, and reports which ones it got.
const [root = '', name = '', count = '0'] = process.argv.slice(2);
const store = await createFileBlobStore({ root });
writeSync(1, 'ready\n');
await once(process.stdin, 'data');
process.stdin.destroy();

const moves = Array.from({ length: Number(count) }, async (_, index) => {
  const to = { env: 'dev', path: `${name}/${index}` };
  try {
    const options = { overwrite: index % 2 === 0, move: true };
    await store.copy({ env: 'dev', path: `from/${index}` }, to, options);
    return [index];
  } catch (error) {
    if (error instanceof BlobMissingError) return [];
    throw error;
  }
});
writeSync(1, `${JSON.stringify((await Promise.all(moves)).flat())}\n`);
