import { UploadError } from '../errors/upload-error.ts';
import type { FilePart, MultipartStream, Part } from '../runtime/index.ts';

/** Name of the field with the content, in lower case. */
const FILE = 'file';

/** A form up to its file. */
export interface OpenForm {
  /** Names in lower case. */
  readonly fields: ReadonlyMap<string, string>;
  readonly file: FilePart;
  /** The parts that follow. */
  readonly rest: AsyncIterator<Part>;
}

/**
 * Reads a form up to the beginning of its file.
 *
 * D27: "field names case-insensitive; `file` last".
 *
 * @throws UploadError MalformedPOSTRequest for a form without a file, or with a field twice
 */
export async function readForm(body: MultipartStream): Promise<OpenForm> {
  const fields = new Map<string, string>();
  const rest = body[Symbol.asyncIterator]();
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) {
    const part = next.value;
    const name = part.name.toLowerCase();
    if (part.kind === 'file') {
      if (name === FILE) return { fields, file: part, rest };
    } else if (name === FILE) {
      throw malformed('The field file has no filename: give it one, so that it is taken as bytes.');
    } else if (fields.has(name)) {
      // Which of the two counts is a matter of taste, and the grant must not hang on it.
      throw malformed(`The form has the field ${part.name} twice.`);
    } else {
      fields.set(name, part.value);
    }
  }
  throw malformed('The form has no field file: send it as the last field.');
}

function malformed(message: string): UploadError {
  return new UploadError('MalformedPOSTRequest', { message });
}
