import { Readable, type Writable } from 'node:stream';
import type { ByteRange, OpenBlob } from '../blob-store.ts';
import type { OpenedFile } from './open-file.ts';
import { sendFileTo } from './send-file-to.ts';

/** A stream owns the open file: it is closed when the stream ends, fails, or is destroyed. */
export function toOpenBlob({ handle, info, crc32 }: OpenedFile): OpenBlob {
  let isTaken = false;
  const take = ({ start, end }: ByteRange = { start: 0, end: info.size - 1 }): ByteRange => {
    if (isTaken) throw new TypeError('The file was read or closed before.');
    isTaken = true;
    return { start, end: Math.min(end, info.size - 1) };
  };
  return {
    info,
    read(range?: ByteRange) {
      const { start, end } = take(range);
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
    async sendTo(target: Writable, range?: ByteRange) {
      const part = take(range);
      try {
        const isWhole = part.start === 0 && part.end === info.size - 1;
        await sendFileTo(handle, part, target, isWhole ? crc32 : undefined);
      } finally {
        await handle.close();
      }
    },
    async close() {
      if (isTaken) return;
      isTaken = true;
      await handle.close();
    },
  };
}
