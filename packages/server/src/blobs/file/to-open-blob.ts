import { Readable } from 'node:stream';
import type { ByteRange, OpenBlob } from '../blob-store.ts';
import type { OpenedFile } from './open-file.ts';

/**
 * The stream owns the open file: it is closed when the stream ends, fails, or is destroyed. Its reads
 * are of 64 KiB, Node's default: with larger ones the buffers pile up before they are collected, and a
 * download is slower for it.
 */
export function toOpenBlob({ handle, info }: OpenedFile): OpenBlob {
  let isTaken = false;
  return {
    info,
    read(range: ByteRange = { start: 0, end: info.size - 1 }) {
      if (isTaken) throw new TypeError('The file was read or closed before.');
      isTaken = true;
      const { start } = range;
      const end = Math.min(range.end, info.size - 1);
      if (start <= end) return handle.createReadStream({ start, end });
      // A file without content: Node's stream takes no range of no bytes.
      return new Readable({
        read() {
          this.push(null);
        },
        destroy(error, callback) {
          handle.close().then(() => callback(error), callback);
        },
      });
    },
    async close() {
      if (isTaken) return;
      isTaken = true;
      await handle.close();
    },
  };
}
