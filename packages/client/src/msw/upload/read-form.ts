/** One field of a form, or its file. */
export interface FormPart {
  readonly bytes: Uint8Array;
  /** Content type; `undefined` of a field that is no file. */
  readonly type: string | undefined;
}

/**
 * Reads a multipart form (RFC 7578); field names are in lower case. `request.formData()` is not used: it
 * fails in Node where jsdom has put its own `File` in the place of that of the platform.
 *
 * @returns `undefined` where the body is no such form
 */
export async function readForm(request: Request): Promise<Map<string, FormPart> | undefined> {
  const contentType = request.headers.get('Content-Type') ?? '';
  const [, quoted, plain] =
    /^multipart\/form-data *;.*\bboundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType) ?? [];
  const delimiter = `--${quoted ?? plain}`;
  const body = await request.arrayBuffer().catch(() => undefined);
  const bytes = new Uint8Array(body ?? []);
  // One character for each byte, so that places in the text are places in the bytes.
  const text = new TextDecoder('latin1').decode(bytes);
  const parts = new Map<string, FormPart>();
  if (!text.startsWith(delimiter)) return undefined;
  for (let at = delimiter.length; !text.startsWith('--', at); ) {
    const head = text.indexOf('\r\n\r\n', at);
    const end = text.indexOf(`\r\n${delimiter}`, head + 4);
    if (head < 0 || end < 0) return undefined;
    const { name, type } = readHead(new TextDecoder().decode(bytes.subarray(at, head)));
    parts.set(name.toLowerCase(), { bytes: bytes.subarray(head + 4, end), type });
    at = end + 2 + delimiter.length;
  }
  return parts;
}

function readHead(head: string): { name: string; type: string | undefined } {
  const [, name = ''] = /^Content-Disposition:.*?; *name="([^"]*)"/im.exec(head) ?? [];
  const [, type = 'text/plain'] = /^Content-Type: *(.*?) *$/im.exec(head) ?? [];
  const isFile = /^Content-Disposition:.*?; *filename="/im.test(head);
  return { name, type: isFile ? type.toLowerCase() : undefined };
}
