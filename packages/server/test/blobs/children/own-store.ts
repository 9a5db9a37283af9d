import { createFileBlobStore } from '../../../src/blobs/file/create-file-blob-store.ts';

// Opens a store, and keeps it until the process is killed.
const [root = ''] = process.argv.slice(2);
await createFileBlobStore({ root });
process.stdout.write('opened\n');
setInterval(() => {}, 60_000);
