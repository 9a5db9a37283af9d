import { randomUUID } from 'node:crypto';
import type { UploadForm } from '../../upload/upload-form.ts';

/** What stands before and after the bytes of the file in a form. */
export interface Multipart {
  readonly contentType: string;
  readonly head: Buffer;
  readonly tail: Buffer;
}

/** Writes a form around its file (RFC 7578; the same bytes as `FormData` makes). */
export function toMultipart({
  fields,
  fileField,
  fileName,
  content,
}: Pick<UploadForm, 'fields' | 'fileField' | 'fileName'> & {
  readonly content: { readonly type: string };
}): Multipart {
  const boundary = `berth-${randomUUID()}`;
  const part = (name: string, rest: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(name)}"${rest}\r\n`;
  const head = fields.map(([name, value]) => `${part(name, '\r\n')}${value}\r\n`).join('');
  const file = part(
    fileField,
    `; filename="${escapeName(fileName)}"\r\nContent-Type: ${content.type.replace(/[\r\n]+/g, ' ')}\r\n`,
  );
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    head: Buffer.from(head + file),
    tail: Buffer.from(`\r\n--${boundary}--\r\n`),
  };
}

/** "Replace `\n` by `%0A`, `\r` by `%0D`, `"` by `%22`" (HTML, multipart form data); else UTF-8 as it is. */
function escapeName(name: string): string {
  return name.replace(/[\r\n"]/g, encodeURIComponent);
}
