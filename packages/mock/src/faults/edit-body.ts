import type { ServerResponse } from 'node:http';

/** Returns what is sent instead of a chunk. If it is the last, the connection is then closed. */
type BodyEdit = (chunk: Buffer) => { readonly sent: Buffer; readonly isLast: boolean };

type Done = (error?: Error | null) => void;

/**
 * Changes the body of a response, whose `Content-Length` stays, by replacing `write` and `end`. Of several edits, the last
 * one sees each chunk first.
 */
export function editBody(response: ServerResponse, edit: BodyEdit): void {
  const write = response.write.bind(response);
  const end = response.end.bind(response);
  let isClosed = false;
  const send = (chunk: Buffer, done: Done): boolean => {
    if (isClosed) return false;
    const { sent, isLast } = edit(chunk);
    isClosed = isLast;
    if (!isLast) return write(sent, done);
    // When this write completes, the head and everything before it have been sent.
    write(sent, (error) => {
      response.socket?.destroySoon();
      done(error);
    });
    return false;
  };
  response.write = ((...args: unknown[]) => send(...readArguments(args))) as typeof response.write;
  response.end = ((...args: unknown[]) => {
    const [chunk, done] = readArguments(args);
    if (chunk.length > 0) {
      // Node does the same for a response that is written in one piece.
      if (!response.headersSent && !response.hasHeader('content-length')) {
        response.setHeader('content-length', chunk.length);
      }
      send(chunk, () => {});
    }
    return isClosed ? response : end(done);
  }) as typeof response.end;
}

/** Reads `(chunk, encoding, done)`, each of which is optional. */
function readArguments(args: unknown[]): [chunk: Buffer, done: Done] {
  const done = args.find((value): value is Done => typeof value === 'function') ?? (() => {});
  const [data, encoding] = args.filter((value) => typeof value !== 'function');
  const text = typeof data === 'string' ? Buffer.from(data, encoding as BufferEncoding) : undefined;
  return [text ?? Buffer.from((data ?? '') as Uint8Array), done];
}
