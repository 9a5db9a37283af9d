import { fileToBlob } from '#platform';
import { assertLength } from './assert-length.ts';
import type { UploadContent, UploadForm } from './upload-form.ts';

/** The form with its content gathered, for `fetch` and `XMLHttpRequest`. */
export async function toFormData({
  fields,
  fileField,
  fileName,
  content,
  signal,
}: UploadForm): Promise<FormData> {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  form.append(fileField, await gather(content, signal), fileName);
  return form;
}

async function gather(content: UploadContent, signal: AbortSignal): Promise<Blob> {
  const { data, type } = content;
  const toBlob = (parts: unknown[]) =>
    new Blob(parts as ConstructorParameters<typeof Blob>[0], { type });
  if (data instanceof Blob) return data.type === type ? data : toBlob([data]);
  if (data instanceof Uint8Array) return toBlob([data]);
  if ('file' in data) return toBlob([await fileToBlob(data.file)]);

  const parts: (Uint8Array | string)[] = [];
  let size = 0;
  for await (const part of abortable(data, signal)) {
    parts.push(part);
    size += typeof part === 'string' ? new Blob([part]).size : part.byteLength;
    assertLength(content, size, false);
  }
  assertLength(content, size, true);
  return toBlob(parts);
}

type Part = Uint8Array | string;

/** The parts of a stream until it ends or `signal` aborts; then, or on a failure, it is cancelled. */
async function* abortable(
  data: ReadableStream<Uint8Array> | AsyncIterable<Part>,
  signal: AbortSignal,
): AsyncGenerator<Part> {
  // Safari's streams are no iterables.
  const reader = 'getReader' in data ? data.getReader() : undefined;
  const iterator = reader ? undefined : (data as AsyncIterable<Part>)[Symbol.asyncIterator]();
  let isOver = false;
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop);
  });
  aborted.catch(() => {});
  try {
    for (;;) {
      signal.throwIfAborted();
      const next: { done?: boolean | undefined; value?: Part | undefined } = await Promise.race([
        aborted,
        reader ? reader.read() : (iterator as AsyncIterator<Part>).next(),
      ]);
      isOver = next.done === true;
      if (next.done) return;
      yield next.value as Part;
    }
  } finally {
    signal.removeEventListener('abort', stop);
    // Not waited for: a source that gives nothing more would never end it.
    if (!isOver) Promise.resolve(reader ? reader.cancel() : iterator?.return?.()).catch(() => {});
  }
}
