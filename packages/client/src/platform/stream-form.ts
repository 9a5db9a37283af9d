import {
  assertLength,
  type Multipart,
  type UploadForm,
  type UploadResponse,
} from './upload-form.ts';

type Chunk = { readonly done?: boolean | undefined; readonly value?: unknown };

/**
 * Returns a function that reads the next chunk of a web stream, a Node stream or any other iterable, until the
 * signal aborts. Web streams are read with a reader, because Safari's are not iterable.
 */
export function openSource(data: object, signal: AbortSignal): () => Promise<Chunk> {
  const onAbort = (leave: () => unknown) => signal.addEventListener('abort', leave);
  if ('getReader' in data) {
    const reader = (data as ReadableStream<unknown>).getReader();
    onAbort(() => reader.cancel(signal.reason).catch(() => {}));
    return () => reader.read();
  }
  const iterator = (data as AsyncIterable<unknown>)[Symbol.asyncIterator]();
  onAbort(() => {
    // A generator ends only after its current step, but a Node stream can be destroyed.
    if ('destroy' in data) (data as { destroy(): void }).destroy();
    else iterator.return?.().catch(() => {});
  });
  return () => iterator.next();
}

/** Slices a Blob, because its own stream may return very little at a time, or everything. */
export async function* slicesOf(blob: Blob, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < blob.size; at += size) {
    yield new Uint8Array(await blob.slice(at, at + size).arrayBuffer());
  }
}

/** A connection that sends a form while it is read. */
interface FormConnection {
  /** Sends the next bytes. Returns `false` if the server takes no more; `response` shows why. */
  write(bytes: Uint8Array): Promise<boolean>;
  end(): Promise<unknown>;
  readonly response: Promise<UploadResponse>;
  /** Closes the connection. */
  abort(): unknown;
}

/** Sends a form and waits for the response. Reads each chunk while the previous one is sent. */
export async function streamForm(
  { content, report, fail, limits }: UploadForm,
  { head, tail }: Multipart,
  chunks: object,
  { write, end, response, abort }: FormConnection,
): Promise<UploadResponse> {
  const refused = new AbortController();
  const ends = AbortSignal.any([limits.signal(), refused.signal]);
  const next = openSource(chunks, ends);
  ends.addEventListener('abort', abort);
  let isComplete = false;
  const send = async () => {
    let sent = 0;
    let writing = write(head);
    for (;;) {
      const [{ done, value }, isOpen] = await Promise.all([next(), writing]);
      if (!isOpen) return;
      if (done) break;
      const bytes = toBytes(value);
      sent += bytes.byteLength;
      assertLength(content, sent, false);
      const loaded = sent;
      writing = write(bytes).then((isTaken) => {
        if (isTaken) report?.(loaded);
        return isTaken;
      });
    }
    assertLength(content, sent, true);
    report?.(sent);
    isComplete = true;
    if (await write(tail)) await end();
  };
  const sending = new Promise<never>((_, reject) => {
    send().catch(reject);
  });
  const result = await Promise.race([sending, response]);
  if (isComplete) return result;
  // A response that comes early is a refusal, so do not send the rest.
  if (result.status < 300)
    throw fail(new Error('The server responded before the entire file was sent.'));
  refused.abort();
  return result;
}

function toBytes(chunk: unknown): Uint8Array {
  if (typeof chunk === 'string') return new TextEncoder().encode(chunk);
  // Check by name, because `instanceof` fails for chunks from another realm.
  if (Object.prototype.toString.call(chunk) === '[object Uint8Array]') return chunk as Uint8Array;
  throw new TypeError('The stream must yield only bytes and strings.');
}
