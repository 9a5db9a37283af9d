import { Readable } from 'node:stream';
import { UploadError } from '../errors/upload-error.ts';
import type { OpenForm } from './read-form.ts';

/**
 * The content of a form's file as a stream of its own, which ends only when the form is whole.
 *
 * D28: "A file is visible only when whole: a broken upload leaves nothing". D27: "Limit 5 GiB".
 */
export function toContent({ file, rest }: OpenForm, maxBytes: number): Readable {
  return Readable.from(readContent(file.body, rest, maxBytes), { objectMode: false });
}

async function* readContent(
  body: Readable,
  rest: AsyncIterator<unknown>,
  maxBytes: number,
): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) {
      throw new UploadError('EntityTooLarge', {
        message: `The file is larger than ${maxBytes} bytes.`,
      });
    }
    yield chunk;
  }
  // What comes after the file is ignored, but it must be there up to the closing boundary.
  while ((await rest.next()).done !== true);
}
