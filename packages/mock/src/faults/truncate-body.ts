import type { ServerResponse } from 'node:http';

// biome-ignore lint/suspicious/noExplicitAny: the overloads of Node
type Rest = any[];

/**
 * Closes the connection after a number of bytes of the response body. `Content-Length` is unchanged, so that
 * the client notices the missing bytes.
 */
export function truncateBody(response: ServerResponse, bytes: number): void {
  const write = response.write.bind(response);
  const end = response.end.bind(response);
  let left = bytes;
  let isCut = false;

  /** Returns the chunk as bytes, or undefined if the end of it is cut off. */
  const take = (chunk: unknown, encoding: unknown): Buffer | undefined => {
    if (isCut) return undefined;
    const whole = toBytes(chunk, encoding);
    if (whole.length <= left) {
      left -= whole.length;
      return whole;
    }
    isCut = true;
    // When this write completes, the head and everything before it have been sent.
    write(whole.subarray(0, left), () => {
      if (response.socket === null) response.destroy();
      else response.socket.destroySoon();
    });
    return undefined;
  };

  response.write = ((chunk: unknown, ...rest: Rest) => {
    const whole = take(chunk, rest[0]);
    return whole !== undefined && write(whole, ...(toCallback(rest) as []));
  }) as typeof response.write;
  response.end = ((chunk: unknown, ...rest: Rest) => {
    // Node discards the body of a response to HEAD.
    const hasBody = chunk !== undefined && chunk !== null && typeof chunk !== 'function';
    if (!hasBody || response.req.method === 'HEAD') return end(chunk as never, ...(rest as []));
    const size = toBytes(chunk, rest[0]).length;
    // Node does the same for a response that is written in one piece.
    if (!response.headersSent && !response.hasHeader('content-length')) {
      response.setHeader('content-length', size);
    }
    const whole = take(chunk, rest[0]);
    return whole === undefined ? response : end(whole, ...(toCallback(rest) as []));
  }) as typeof response.end;
}

function toBytes(chunk: unknown, encoding: unknown): Buffer {
  const known = typeof encoding === 'string' ? (encoding as BufferEncoding) : undefined;
  return typeof chunk === 'string' ? Buffer.from(chunk, known) : Buffer.from(chunk as Uint8Array);
}

function toCallback(rest: Rest): Rest {
  return rest.filter((given) => typeof given === 'function');
}
