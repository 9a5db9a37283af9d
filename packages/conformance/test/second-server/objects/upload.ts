import type { IncomingMessage } from 'node:http';
import { checkForm } from './check-form.ts';
import type { FileStore } from './file-store.ts';
import type { Grants } from './grants.ts';
import { parseForm } from './parse-form.ts';
import type { UploadRefusal } from './upload-refusals.ts';

/** Stores the file of a form that has come whole, or says why not. */
export function upload(
  { method, url = '', headers }: IncomingMessage,
  body: Buffer | undefined,
  { files, grants }: { files: FileStore; grants: Grants },
): UploadRefusal | undefined {
  if (method !== 'POST') return 'NotAnUpload';
  const grant = grants.find(url);
  if (!grant) return 'NoSuchTicket';
  if (!body) return 'FileTooBig';
  const form = parseForm(headers['content-type'] ?? '', body);
  if (!form) return 'UnreadableForm';
  const file = checkForm(form, grant);
  if (typeof file === 'string') return file;
  files.write(grant.path, file);
  grants.end(url);
  return undefined;
}
