import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Choices, limits } from '../choices.ts';
import { readBody } from '../http/listen.ts';
import type { FileStore } from './file-store.ts';
import type { Grants, Links } from './grants.ts';
import { checkForm, parseForm, type UploadRefusal, uploadRefusals } from './parse-form.ts';

export interface Objects {
  files: FileStore;
  grants: Grants;
  links: Links;
}

/** Space for the other fields of an upload form. */
const FORM_BYTES = 64 * 1024;

/** The upload target and the links. */
export function createObjects(objects: Objects, failures: Choices['failures']): Server {
  return createServer(async (request, response) => {
    const body = await readBody(request, limits.fileBytes + FORM_BYTES).catch(() => null);
    if (body === null) return;
    const isLink = objects.links.find(request.url ?? '') !== 'unknown';
    if (isLink) download(request, response, objects);
    else received(response, upload(request, body, objects), failures);
  });
}

/** A success is a 200 with two letters: no XML, no `ETag`, no `Location`. */
function received(
  response: ServerResponse,
  refusal: UploadRefusal | undefined,
  failures: Choices['failures'],
): void {
  if (!refusal) {
    response.writeHead(200, { 'Content-Type': 'text/plain' }).end('ok');
    return;
  }
  const { status, ok, message } = uploadRefusals[refusal];
  const quiet = failures === 'ok' || (failures === 'some' && ok);
  response.writeHead(quiet ? 200 : status, { 'Content-Type': 'text/xml', Connection: 'close' });
  const error = `<Error><Message>${message}</Message><Code>${refusal}</Code></Error>`;
  response.end(`<?xml version='1.0' encoding='utf-8'?>\n${error}`);
}

/** Stores the file from a complete form, or returns why not. */
function upload(
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

/** A link works with GET only, and has no ranges, no `ETag` and no meaningful type. */
function download(
  { method, url = '' }: IncomingMessage,
  response: ServerResponse,
  { files, links }: { files: FileStore; links: Links },
): void {
  const link = links.find(url);
  const content = typeof link === 'object' ? files.read(link.path) : undefined;
  if (method === 'GET' && content) {
    response.writeHead(200, { 'Content-Type': 'binary/octet-stream', Connection: 'close' });
    response.end(content);
  } else {
    response.writeHead(method === 'GET' ? 410 : 405, { Connection: 'close' });
    response.end('gone');
  }
}
