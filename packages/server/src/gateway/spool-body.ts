import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

/** A body that has come whole. */
export interface Spooled {
  /** SHA-256 in hex. */
  readonly hash: string;
  /** Bytes. */
  readonly length: number;
  /** The content: in memory, or a stream from the beginning of the file. */
  readonly content: Buffer | Readable;
  /** Gives the space back, also where the content was never read. */
  dispose(): Promise<void>;
}

/**
 * Reads a body to its end, in memory up to `memoryBytes` and in a temporary file beyond, which nobody else
 * can open: it has mode 0600 and loses its name at once, so that nothing is left behind a crash.
 *
 * D13: "A TC3 call is spooled (memory to 1 MiB, then a temporary file) and verified before the service is
 * called".
 *
 * @throws what the body fails with, such as the limit
 */
export async function spoolBody(body: Readable, memoryBytes: number): Promise<Spooled> {
  const hash = createHash('sha256');
  let held: Buffer[] = [];
  let length = 0;
  let file: FileHandle | undefined;
  try {
    for await (const chunk of body.iterator({ destroyOnReturn: false })) {
      hash.update(chunk);
      length += chunk.length;
      held.push(chunk);
      if (file === undefined && length <= memoryBytes) continue;
      file ??= await openTemporary();
      await file.appendFile(Buffer.concat(held));
      held = [];
    }
  } catch (error) {
    await file?.close();
    throw error;
  }
  const content = file?.createReadStream({ start: 0, autoClose: false }) ?? Buffer.concat(held);
  return {
    hash: hash.digest('hex'),
    length,
    content,
    async dispose() {
      if (!Buffer.isBuffer(content)) content.destroy();
      await file?.close();
    },
  };
}

async function openTemporary(): Promise<FileHandle> {
  const path = join(tmpdir(), `berth-spool-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
}
