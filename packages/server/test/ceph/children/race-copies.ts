import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { BlobExistsError } from '../../../src/blobs/blob-errors.ts';
import { createS3BlobStore } from '../../../src/blobs/s3/create-s3-blob-store.ts';

// Copies one file to many places as soon as it is told to, and tells where it was the first.
const [options = '', source = '', places = '0'] = process.argv.slice(2);
const store = createS3BlobStore(JSON.parse(options));
await store.check();
writeSync(1, 'ready\n');
await once(process.stdin, 'data');
process.stdin.destroy();

const copies = Array.from({ length: Number(places) }, async (_, index) => {
  const [from, to] = [source, `place/${index}`].map((path) => ({ env: 'dev', path }));
  try {
    if (from && to) await store.copy(from, to, { overwrite: false });
    return [index];
  } catch (error) {
    if (error instanceof BlobExistsError) return [];
    throw error;
  }
});
writeSync(1, `${JSON.stringify((await Promise.all(copies)).flat())}\n`);
await store.close();
