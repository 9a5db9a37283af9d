import { limits, names } from '../choices.ts';
import type { Grant } from './grants.ts';

/**
 * Parses the fields of a `multipart/form-data` body by name, in any order. Returns `undefined` if the body is
 * something else, is truncated before its last boundary, or has a field twice.
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

/**
 * "A form with a missing or wrong Signature, token, meta file id or key stores nothing" (D30). Names and
 * values are compared as is; `success_action_status` and other fields have no meaning here.
 */
export function checkForm(form: Map<string, Buffer>, grant: Grant): Buffer | UploadRefusal {
  const expected = {
    Signature: grant.authorization,
    [names.securityToken]: grant.token,
    [names.metaFileId]: grant.storeFileID,
    key: grant.path,
  };
  const file = form.get('file');
  const missing = Object.keys(expected).some((name) => !form.has(name));
  if (missing || !file) return 'FieldMissing';
  for (const [name, value] of Object.entries(expected)) {
    if (form.get(name)?.toString() !== value) return 'FieldMismatch';
  }
  return file.length > limits.fileBytes ? 'FileTooBig' : file;
}

/**
 * Upload target errors, as an XML document with an `Error` element. The contract specifies neither their
 * codes nor their statuses; `ok` marks those that are 200 if only some are.
 */
export const uploadRefusals = {
  NotAnUpload: { status: 405, ok: false, message: 'Send a form here by POST.' },
  NoSuchTicket: { status: 410, ok: false, message: 'The grant is unknown, used or too old.' },
  UnreadableForm: { status: 422, ok: false, message: 'The body is not a complete form.' },
  FieldMissing: { status: 422, ok: true, message: 'A field of the form is missing.' },
  FieldMismatch: { status: 409, ok: false, message: 'A field does not match the grant.' },
  FileTooBig: { status: 409, ok: true, message: 'The file is too big.' },
} as const;

export type UploadRefusal = keyof typeof uploadRefusals;
