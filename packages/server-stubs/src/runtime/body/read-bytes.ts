import type { IncomingMessage } from 'node:http';

/**
 * Reads a whole body.
 *
 * @param maxBytes the first byte beyond ends the reading; the rest stays with the caller
 * @param done gets the bytes, or `undefined` where there are too many. It is never called where the
 *   client goes away first: nobody is left to answer.
 */
export function readBytes(
  request: IncomingMessage,
  maxBytes: number,
  done: (bytes: Buffer | undefined) => void,
): void {
  let only: Buffer | undefined;
  let chunks: Buffer[] | undefined;
  let size = 0;

  const onData = (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxBytes) {
      request.off('data', onData);
      request.off('end', onEnd);
      request.pause();
      done(undefined);
    } else if (only === undefined) {
      only = chunk;
    } else if (chunks === undefined) {
      chunks = [only, chunk];
    } else {
      chunks.push(chunk);
    }
  };
  const onEnd = () => {
    done(chunks === undefined ? (only ?? EMPTY) : Buffer.concat(chunks, size));
  };
  request.on('data', onData);
  request.on('end', onEnd);
}

const EMPTY = Buffer.alloc(0);
