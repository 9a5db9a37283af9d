import { writeSync } from 'node:fs';
import { createFileBlobStore } from '../../../src/blobs/file/create-file-blob-store.ts';
import { toBytes, toStream } from '../blob-contents.ts';

// Writes one file of this many bytes, and prints the names of the error and its cause.
const [root = '', size = '0'] = process.argv.slice(2);
const store = await createFileBlobStore({ root });
const content = toStream(toBytes(Number(size)));
const failure = await store
  .write({ env: 'dev', path: 'large' }, content, { contentType: 'a/b' })
  .then(() => undefined)
  .catch((error) => ({ name: error.name, code: error.cause?.code }));
writeSync(1, `${JSON.stringify(failure ?? {})}\n`);
