import { pipeline } from 'node:stream/promises';

/** Writes a stream to the standard output, which stays open. */
export async function writeOut(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  await pipeline(stream, process.stdout, { signal, end: false });
}
