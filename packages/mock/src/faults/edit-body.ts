import type { ServerResponse } from 'node:http';
import type { Transform } from 'node:stream';

type Write = ServerResponse['write'];

/**
 * Overrides `write` and `end` to edit the body, but not `Content-Length`. Of several edits, the last sees a chunk first.
 *
 * @param edit if its output ends before it has read everything, the connection is then closed
 */
export function editBody(response: ServerResponse, edit: Transform): void {
  const write = response.write.bind(response);
  const end = response.end.bind(response);
  const send = (chunk: Buffer) =>
    new Promise<void>((resolve, reject) => {
      write(chunk, (error) => (error ? reject(error) : resolve()));
    });
  const sendAll = async () => {
    for await (const chunk of edit) await send(chunk);
    // Bytes that the edit has not consumed mean that it ended early.
    if (edit.writableLength === 0) return end();
    // When this write completes, the head and everything before it have been sent.
    await send(Buffer.alloc(0));
    response.socket?.destroySoon();
  };
  sendAll().catch(() => response.destroy());
  edit.on('drain', () => response.emit('drain'));
  response.write = ((...args: Parameters<Write>) => {
    // The head is sent at once, as without an edit.
    write('', 'latin1');
    return edit.write(...args);
  }) as Write;
  response.end = ((...args: Parameters<Transform['end']>) => {
    edit.end(...args);
    return response;
  }) as ServerResponse['end'];
}
