import {
  assertLength,
  type Multipart,
  type UploadForm,
  type UploadResponse,
} from './upload-form.ts';

/** A content that is read piece by piece. */
export interface Source {
  next(): Promise<{ readonly done?: boolean | undefined; readonly value?: unknown }>;
  /** Asks for no more. It is not waited for: a source that gives nothing more would never end it. */
  leave(reason: unknown): void;
}

/** Opens a stream of the web or of Node, or another iterable. Safari's streams are no iterables. */
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
      // A generator ends no sooner than its current step, a stream of Node does.
      if ('destroy' in data) (data as { destroy(): void }).destroy();
      else iterator.return?.().catch(() => {});
    },
  };
}

/** The slices of a Blob, whose own stream may give little at a time, or all of it. */
export async function* slicesOf(blob: Blob, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < blob.size; at += size) {
    yield new Uint8Array(await blob.slice(at, at + size).arrayBuffer());
  }
}

/** A connection that takes a form as it is read. */
interface FormConnection {
  readonly source: Source;
  /** Takes the next bytes. `false` if it takes no more: `answer` shows why. */
  write(bytes: Uint8Array): Promise<boolean>;
  end(): Promise<unknown>;
  readonly answer: Promise<UploadResponse>;
  /** Leaves both the source and the connection. */
  close(): void;
}

/** Sends a form while its response is awaited. A piece is read while the one before is sent. */
export async function streamForm(
  { content, report, fail }: UploadForm,
  { head, tail }: Multipart,
  { source, write, end, answer, close }: FormConnection,
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
  const result = await Promise.race([sending, answer]);
  if (isComplete) return result;
  // A response before the end is a refusal: nothing more need be sent.
  if (result.status < 300) throw fail(new Error('The answer came before the end of the file.'));
  close();
  return result;
}

function toBytes(chunk: unknown): Uint8Array {
  if (typeof chunk === 'string') return new TextEncoder().encode(chunk);
  // By its name: one of another realm is no instance of the platform's.
  if (Object.prototype.toString.call(chunk) === '[object Uint8Array]') return chunk as Uint8Array;
  throw new TypeError('The stream gives other things than bytes and texts.');
}
