import type { FileHandle } from 'node:fs/promises';

/** Writes all of it. A disk that is nearly full takes a part, and fails at the next call. */
export async function writeAll(
  handle: FileHandle,
  chunks: readonly Buffer[],
  position: number,
): Promise<void> {
  const bytes = chunks.reduce((sum, { length }) => sum + length, 0);
  const { bytesWritten } = await handle.writev(chunks, position);
  if (bytesWritten === bytes) return;
  await writeAll(handle, [Buffer.concat(chunks).subarray(bytesWritten)], position + bytesWritten);
}
