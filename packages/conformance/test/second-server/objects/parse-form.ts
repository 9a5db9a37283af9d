/**
 * The fields of a `multipart/form-data` body by their names, in any order. Returns `undefined` where the
 * body is none, breaks off before its last boundary, or has a field twice.
 */
export function parseForm(contentType: string, body: Buffer): Map<string, Buffer> | undefined {
  const type = /^multipart\/form-data\s*;.*?\bboundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType);
  if (!type) return undefined;
  const boundary = `\r\n--${type[1] ?? type[2]}`;
  const text = Buffer.concat([Buffer.from('\r\n'), body]);
  const fields = new Map<string, Buffer>();
  let start = text.indexOf(boundary);
  while (start >= 0) {
    start += boundary.length;
    if (text.subarray(start, start + 2).equals(Buffer.from('--'))) return fields;
    const end = text.indexOf(boundary, start);
    if (end < 0) return undefined;
    const [name, content] = parsePart(text.subarray(start, end));
    if (name === undefined || content === undefined || fields.has(name)) return undefined;
    fields.set(name, content);
    start = end;
  }
  return undefined;
}

function parsePart(part: Buffer): [name?: string | undefined, content?: Buffer] {
  const end = part.indexOf('\r\n\r\n');
  if (end < 0) return [];
  const head = part.subarray(0, end).toString();
  const [, quoted, plain] =
    /^content-disposition:\s*form-data\s*;.*?\bname=(?:"([^"]*)"|([^\s;]+))/im.exec(head) ?? [];
  return [quoted ?? plain, part.subarray(end + 4)];
}
