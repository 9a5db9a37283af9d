import { randomUUID } from 'node:crypto';
import { toMultipart, type UploadForm } from '../../upload/upload-form.ts';

/**
 * A form as the bytes that it is sent as, for a `fetch` of the caller's: that of a package such as
 * undici takes the platform's `FormData` for a text.
 */
export function toFetchBody(form: UploadForm, data: FormData): Blob {
  const { contentType, head, tail } = toMultipart(form, randomUUID());
  const parts = [head, data.get(form.fileField), tail] as Blob[];
  return new Blob(parts, { type: contentType });
}
