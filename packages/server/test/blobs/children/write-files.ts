import { writeSync } from 'node:fs';
import { createFileBlobStore } from '../../../src/blobs/file/create-file-blob-store.ts';
import { hashOf, toBytes, toStream } from '../blob-contents.ts';

// Writes files, 100 at a time, until it is killed, and reports each as soon as it is acknowledged.
const [root = ''] = process.argv.slice(2);
const store = await createFileBlobStore({ root });

async function writeForever(writer: number): Promise<void> {
  for (let round = 0; ; round++) {
    // Some keep overwriting one key, the others write a new one each time.
    const path = writer % 10 === 0 ? `shared/${writer}` : `Folder ${writer}/${round}/file`;
    const bytes = toBytes(1000 + ((writer * 7919 + round * 104_729) % 500_000), writer + round);
    const { etag } = await store.write({ env: 'dev', path }, toStream(bytes), {
      contentType: 'a/b',
    });
    writeSync(1, `${JSON.stringify({ path, etag, hash: hashOf(bytes) })}\n`);
  }
}

await Promise.all(Array.from({ length: 100 }, (_, writer) => writeForever(writer)));
