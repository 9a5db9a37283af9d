import { constants } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { BlobInfo, BlobKey, WriteOptions } from '../blob-store.ts';
import { ContentSink } from './content-sink.ts';
import { withStoreErrors } from './disk-error.ts';
import { placeIn } from './folders.ts';
import type { Layout } from './layout.ts';
import { withFileLocks } from './lock-files.ts';
import { type Trailer, toTrailer } from './trailer.ts';
import { writeAll } from './write-all.ts';

const FLAGS =
  constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/**
 * D28: "A file is visible only when whole: a broken upload leaves nothing, and what was answered with
 * success is never lost." Content and trailer are written to a temporary file and made durable; then
 * it is renamed, and the rename made durable. From then on nobody changes it.
 */
export async function writeFile(
  layout: Layout,
  key: BlobKey,
  content: Readable,
  { contentType, size, signal }: WriteOptions,
): Promise<BlobInfo> {
  const file = layout.fileOf(key);
  signal?.throwIfAborted();
  const tmp = layout.newTmpFile();
  const handle = await withStoreErrors(() => open(tmp, FLAGS, 0o666));
  layout.uploads.add(tmp);
  try {
    const sink = new ContentSink(handle, size);
    await pipeline(content, sink, signal ? { signal } : {});
    const { size: written, md5, crc32 } = await sink.content();
    const info = { size: written, etag: md5, contentType };
    signal?.throwIfAborted();
    await withStoreErrors(() => finish(layout, handle, tmp, file, { info, crc32 }));
    return info;
  } catch (error) {
    // Of two failures, the first one is told. A sweep removes what stays.
    await rm(tmp, { force: true }).catch(() => {});
    throw error;
  } finally {
    layout.uploads.delete(tmp);
    await handle.close();
  }
}

async function finish(
  layout: Layout,
  handle: FileHandle,
  tmp: string,
  file: string,
  trailer: Trailer,
): Promise<void> {
  await writeAll(handle, [toTrailer(trailer)], trailer.info.size);
  await handle.sync();
  const place = () => withFileLocks(layout, [file], () => rename(tmp, file));
  // Swept away, for nothing had come for so long.
  const isLost = async () => (await handle.stat()).nlink === 0;
  await placeIn(layout.files, dirname(file), place, isLost);
}
