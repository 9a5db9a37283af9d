import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Choices } from '../choices.ts';
import { readBody } from '../http/read-body.ts';
import { limits } from '../limits.ts';
import { download } from './download.ts';
import type { FileStore } from './file-store.ts';
import type { Grants } from './grants.ts';
import type { Links } from './links.ts';
import { upload } from './upload.ts';
import { type UploadRefusal, uploadRefusals } from './upload-refusals.ts';

export interface Objects {
  files: FileStore;
  grants: Grants;
  links: Links;
}

/** Room for the other fields of an upload form. */
const FORM_BYTES = 64 * 1024;

/** The upload target and the links. */
export function createObjects(objects: Objects, failures: Choices['failures']): Server {
  return createServer(async (request, response) => {
    const body = await readBody(request, limits.fileBytes + FORM_BYTES).catch(() => null);
    if (body === null) return;
    const isLink = objects.links.find(request.url ?? '') !== 'unknown';
    if (isLink) download(request, response, objects);
    else answer(response, upload(request, body, objects), failures);
  });
}

/** A success is 200 with two letters: no XML, no `ETag`, no `Location`. */
function answer(
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
