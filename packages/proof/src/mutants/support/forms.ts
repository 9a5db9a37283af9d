import type { MutatedRequest } from '../../proxy/messages.ts';

export type Form = Map<string, Buffer>;

/** The fields of an upload form; of a broken one with what came of the last. */
export function readForm(request: MutatedRequest): Form {
  const form: Form = new Map();
  // A boundary stands at the beginning of a line (RFC 2046, section 5.1.1); a file may hold it elsewhere.
  const delimiter = `\r\n--${toBoundary(request)}`;
  const text = `\r\n${request.body.toString('latin1')}`;
  for (const part of text.split(delimiter).slice(1)) {
    const end = part.indexOf('\r\n\r\n');
    const [, name] = /name="([^"]*)"/.exec(part.slice(0, end)) ?? [];
    if (end < 0 || name === undefined) continue;
    const value = part.slice(end + 4);
    form.set(name, Buffer.from(value, 'latin1'));
  }
  return form;
}

/** Puts other fields into an upload form. */
export function writeForm(request: MutatedRequest, form: Form): void {
  const boundary = toBoundary(request);
  const parts = [...form].flatMap(([name, value]) => {
    const filename = name === 'file' ? '; filename="file"' : '';
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${filename}\r\n\r\n`;
    return [Buffer.from(head), value, Buffer.from('\r\n')];
  });
  request.body = Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]);
}

function toBoundary({ headers }: MutatedRequest): string {
  return /boundary="?([^";]+)/.exec(headers.get('content-type') ?? '')?.[1] ?? '';
}
