import { Readable } from 'node:stream';
import { UploadError } from '../errors/upload-error.ts';
import type { OpenForm } from './read-form.ts';

/**
 * The content of a form's file as a stream of its own, which ends only when the form is whole.
 *
 * D28: "A file is visible only when whole: a broken upload leaves nothing". D27: "Limit 5 GiB".
 */
export function toContent(form: OpenForm, maxBytes: number): Readable {
  return new Content(form, maxBytes);
}

/** Events instead of a generator: a promise for each chunk costs a tenth of an upload. */
class Content extends Readable {
  readonly #body: Readable;

  constructor({ file: { body }, rest }: OpenForm, maxBytes: number) {
    super();
    this.#body = body;
    let size = 0;
    // A handler that refuses the form reads nothing, and must not end the process when it breaks off.
    this.on('error', () => {});
    // Nothing flows before the content is asked for.
    body.pause();
    body.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) this.destroy(tooLarge(maxBytes));
      else if (!this.push(chunk)) body.pause();
    });
    body.once('end', () => {
      drain(rest).then(
        () => this.push(null),
        (error) => this.destroy(error),
      );
    });
    body.once('error', (error) => this.destroy(error));
    body.once('close', () => {
      if (!body.readableEnded) this.destroy(body.errored ?? new Error('The form broke off.'));
    });
  }

  override _read(): void {
    this.#body.resume();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#body.destroy();
    callback(error);
  }
}

/** What comes after the file is ignored, but it must be there up to the closing boundary. */
async function drain(rest: AsyncIterator<unknown>): Promise<void> {
  while ((await rest.next()).done !== true);
}

function tooLarge(maxBytes: number): UploadError {
  return new UploadError('EntityTooLarge', {
    message: `The file is larger than ${maxBytes} bytes.`,
  });
}
