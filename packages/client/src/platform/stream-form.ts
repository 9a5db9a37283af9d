import {
  assertLength,
  type Multipart,
  type UploadForm,
  type UploadResponse,
} from './upload-form.ts';

/** Content that is read in chunks. */
export interface Source {
  next(): Promise<{ readonly done?: boolean | undefined; readonly value?: unknown }>;
  /** Stops reading. Not awaited: a source that hangs would never end. */
  leave(reason: unknown): void;
}

/** Opens a web stream, a stream of Node, or another iterable. Safari's streams are not iterable. */
export function openSource(data: object): Source {
  if ('getReader' in data) {
    const reader = (data as ReadableStream<unknown>).getReader();
    return {
      next: () => reader.read(),
      leave: (reason) => void reader.cancel(reason).catch(() => {}),
    };
  }
  const iterator = (data as AsyncIterable<unknown>)[Symbol.asyncIterator]();
  return {
    next: () => iterator.next(),
    leave() {
      // A generator only ends after its current step; a stream of Node can be destroyed.
      if ('destroy' in data) (data as { destroy(): void }).destroy();
      else iterator.return?.().catch(() => {});
    },
  };
}

/** Slices of a Blob; its own stream may return little at a time, or everything. */
export async function* slicesOf(blob: Blob, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < blob.size; at += size) {
    yield new Uint8Array(await blob.slice(at, at + size).arrayBuffer());
  }
}

/** A connection that sends a form as it is read. */
interface FormConnection {
  readonly source: Source;
  /** Sends the next bytes. Returns `false` if it takes no more: `response` shows why. */
  write(bytes: Uint8Array): Promise<boolean>;
  end(): Promise<unknown>;
  readonly response: Promise<UploadResponse>;
  /** Closes both the source and the connection. */
  close(): void;
}

/** Sends a form and awaits the response. Each chunk is read while the previous one is sent. */
export async function streamForm(
  { content, report, fail }: UploadForm,
  { head, tail }: Multipart,
  { source, write, end, response, close }: FormConnection,
): Promise<UploadResponse> {
  let isComplete = false;
  const send = async () => {
    let sent = 0;
    let writing = write(head);
    for (;;) {
      const [{ done, value }, isOpen] = await Promise.all([source.next(), writing]);
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
  // A response before the end is a refusal, so the rest is not sent.
  if (result.status < 300) throw fail(new Error('The response came before the end of the file.'));
  close();
  return result;
}

function toBytes(chunk: unknown): Uint8Array {
  if (typeof chunk === 'string') return new TextEncoder().encode(chunk);
  // By name: `instanceof` fails for a chunk of another realm.
  if (Object.prototype.toString.call(chunk) === '[object Uint8Array]') return chunk as Uint8Array;
  throw new TypeError('The stream must yield only bytes and strings.');
}
