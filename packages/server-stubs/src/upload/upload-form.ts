import { Readable } from 'node:stream';
import { rememberResource, UploadError, type UploadErrorCode } from '../errors.ts';
import type { WireProfile } from '../http/wire-profile.ts';
import type { Call, FilePart, MultipartStream, Part } from '../runtime/index.ts';
import type { UploadInput } from './upload-handlers.ts';

/** The field with the content, in lowercase. */
const FILE = 'file';

/** Form fields whose names are the same in every deployment. */
const SIGNATURE = 'Signature';
const KEY = 'key';

/**
 * D30: if the form lacks `Signature`, the token, the meta file ID or `key`, nothing is stored and the
 * response is an XML `Error`.
 */
export async function toUploadInput(
  body: MultipartStream,
  { request }: Call,
  { uploadFields }: WireProfile,
  maxBytes: number,
): Promise<UploadInput> {
  const form = await readForm(body);
  const { fields, file } = form;
  const read = (name: string, code: UploadErrorCode) => {
    const value = fields.get(name.toLowerCase());
    if (value) return value;
    throw new UploadError(code, {
      message: `The form has no ${name} field: send it before the file.`,
    });
  };
  const key = read(KEY, 'MalformedPOSTRequest');
  rememberResource(request, key);
  return {
    key,
    signature: read(SIGNATURE, 'AccessDenied'),
    token: read(uploadFields.securityToken, 'AccessDenied'),
    metaFileId: read(uploadFields.metaFileId, 'AccessDenied'),
    file: toContent(form, maxBytes),
    filename: file.filename,
    contentType: toContentType(file),
    fields,
  };
}

function toContentType({ mediaType, charset }: FilePart): string {
  return charset === undefined ? mediaType : `${mediaType}; charset=${charset}`;
}

interface OpenForm {
  readonly fields: ReadonlyMap<string, string>;
  readonly file: FilePart;
  readonly rest: AsyncIterator<Part>;
}

/** Field names are case-insensitive, and `file` is the last field (D27). */
async function readForm(body: MultipartStream): Promise<OpenForm> {
  const fields = new Map<string, string>();
  const rest = body[Symbol.asyncIterator]();
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) {
    const part = next.value;
    const name = part.name.toLowerCase();
    if (part.kind === 'file') {
      if (name === FILE) return { fields, file: part, rest };
    } else if (name === FILE) {
      throw malformed('The file field has no filename: add one, so that it is read as a file.');
    } else if (fields.has(name)) {
      // Parsers differ in which of the two they use, and the grant must not depend on that.
      throw malformed(`The form contains the ${part.name} field twice.`);
    } else {
      fields.set(name, part.value);
    }
  }
  throw malformed('The form has no file field: send it as the last field.');
}

function malformed(message: string): UploadError {
  return new UploadError('MalformedPOSTRequest', { message });
}

/**
 * D28: a file becomes visible when it is complete, so the stream ends only when the form is. D27: "Limit 5
 * GiB".
 */
function toContent(form: OpenForm, maxBytes: number): Readable {
  return new Content(form, maxBytes);
}

/** Uses events instead of a generator, because a promise per chunk would cost a tenth of the upload time. */
class Content extends Readable {
  readonly #body: Readable;

  constructor({ file: { body }, rest }: OpenForm, maxBytes: number) {
    super();
    this.#body = body;
    let size = 0;
    // A handler that rejects the form reads nothing, and an aborted form must not crash the process.
    this.on('error', () => {});
    // Nothing is read before the content is requested.
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
      if (!body.readableEnded) this.destroy(body.errored ?? new Error('The form ended early.'));
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

/** Everything after the file is ignored, but must be complete up to the closing boundary. */
async function drain(rest: AsyncIterator<unknown>): Promise<void> {
  while ((await rest.next()).done !== true);
}

function tooLarge(maxBytes: number): UploadError {
  return new UploadError('EntityTooLarge', {
    message: `The file is larger than ${maxBytes} bytes.`,
  });
}
