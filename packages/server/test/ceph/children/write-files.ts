import { writeSync } from 'node:fs';
import { createS3BlobStore } from '../../../src/blobs/s3/create-s3-blob-store.ts';
import { hashOf, toBytes, toStream } from '../../blobs/blob-contents.ts';

// Writes files, 100 at a time, until it is killed, and reports each as soon as it is acknowledged. One
// writer in ten has a file that is sent in parts.
const [options = ''] = process.argv.slice(2);
const store = createS3BlobStore(JSON.parse(options));
const SMALL = 20_000;
const LARGE = 9_000_000;

async function writeForever(writer: number): Promise<void> {
  for (let round = 0; ; round++) {
    const path = `writer-${writer}/${round % 20}`;
    const bytes = toBytes((writer % 10 === 0 ? LARGE : SMALL) + round, writer + round);
    const { etag } = await store.write({ env: 'dev', path }, toStream(bytes), {
      contentType: 'a/b',
    });
    writeSync(1, `${JSON.stringify({ path, etag, hash: hashOf(bytes) })}\n`);
  }
}

await Promise.all(Array.from({ length: 100 }, (_, writer) => writeForever(writer)));
