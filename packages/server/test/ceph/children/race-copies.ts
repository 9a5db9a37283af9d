import { createS3BlobStore } from '../../../src/blobs/s3/create-s3-blob-store.ts';
import { race } from '../../blobs/children/race.ts';

const [options = '', source = '', places = '0'] = process.argv.slice(2);
const store = createS3BlobStore(JSON.parse(options));
await store.check();
await race(store, source, Number(places));
await store.close();
