import type { UploadForm } from './upload-form.ts';

/** What stands before and after the bytes of the file in a form. */
export interface Multipart {
  readonly contentType: string;
  readonly head: Uint8Array<ArrayBuffer>;
  readonly tail: Uint8Array<ArrayBuffer>;
}

/**
 * Writes a form around its file (RFC 7578; the same bytes as `FormData` makes).
 *
 * @param id what stands nowhere else, for the boundary
 */
export function toMultipart(
  {
    fields,
    fileField,
    fileName,
    content,
  }: Pick<UploadForm, 'fields' | 'fileField' | 'fileName'> & {
    readonly content: { readonly type: string };
  },
  id: string,
): Multipart {
  const boundary = `berth-${id}`;
  const encoder = new TextEncoder();
  const part = (name: string, rest: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(name)}"${rest}\r\n`;
  const head = fields.map(([name, value]) => `${part(name, '\r\n')}${value}\r\n`).join('');
  const file = part(
    fileField,
    `; filename="${escapeName(fileName)}"\r\nContent-Type: ${content.type.replace(/[\r\n]+/g, ' ')}\r\n`,
  );
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    head: encoder.encode(head + file),
    tail: encoder.encode(`\r\n--${boundary}--\r\n`),
  };
}

/** "Replace `\n` by `%0A`, `\r` by `%0D`, `"` by `%22`" (HTML, multipart form data); else UTF-8 as it is. */
function escapeName(name: string): string {
  return name.replace(/[\r\n"]/g, encodeURIComponent);
}
