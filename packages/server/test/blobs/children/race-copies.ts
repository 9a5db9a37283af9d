import { createFileBlobStore } from '../../../src/blobs/file/create-file-blob-store.ts';
import { race } from './race.ts';

const [root = '', source = '', places = '0'] = process.argv.slice(2);
await race(await createFileBlobStore({ root }), source, Number(places));
