import type { SecondServer } from '../start-second-server.ts';
import { call, type ReceivedResponse } from './call.ts';

/** Makes a storage call. Its fields are sent inside `data`, and `body` is the envelope's. */
export async function operate(server: SecondServer, operation: string, fields: object) {
  const url = `${server.storageUrl}/api/v2/envs/${server.env}/storages:${operation}`;
  const body = JSON.stringify({ data: fields });
  const { status, text } = await call(url, {
    method: 'POST',
    headers: server.storageHeaders,
    body,
  });
  return { status, ...JSON.parse(text) };
}

/** Creates an upload form, with the contract's field names. */
export async function prepare(server: SecondServer, path: string, content: string) {
  const { body } = await operate(server, 'getUploadMetaData', { path });
  const { url, token, authorization, storeFileID, fileID } = body.data;
  const fields: Record<string, string> = {
    Signature: authorization,
    'x-store-security-token': token,
    'x-store-meta-fileid': storeFileID,
    key: path,
    file: content,
  };
  return { url, fields, fileID };
}

/** Posts a form to the upload target. */
export async function post(url: string, fields: Record<string, string>): Promise<ReceivedResponse> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (name === 'file') form.append(name, new Blob([value]), 'name.bin');
    else form.append(name, value);
  }
  const { headers, body } = new Response(form) as Response & { body: ReadableStream };
  const bytes = Buffer.from(await new Response(body).arrayBuffer());
  const type = headers.get('content-type') ?? '';
  return call(url, { method: 'POST', headers: { 'Content-Type': type }, body: bytes });
}

/** Uploads a file, and returns its id. */
export async function store(server: SecondServer, path: string, content: string): Promise<string> {
  const { url, fields, fileID } = await prepare(server, path, content);
  const { status, text } = await post(url, fields);
  if (status !== 200 || text !== 'ok') throw new Error(`The upload ended with ${status} ${text}`);
  return fileID;
}

/** Returns an encoded link to a file; `none` if the file does not exist. */
export async function link(server: SecondServer, fileID: string, maxAge?: number): Promise<string> {
  const fileList = [{ fileID, ...(maxAge ? { maxAge } : {}) }];
  const { body } = await operate(server, 'batchGetTempUrls', { fileList });
  const { tempFileURL } = body.data.fileList[0];
  return tempFileURL === 'none' ? 'none' : new URL(tempFileURL).href;
}

/** Returns the content of the file at a path, if there is one. */
export async function read(server: SecondServer, path: string): Promise<string | undefined> {
  const { body } = await operate(server, 'getUploadMetaData', { path });
  const url = await link(server, body.data.fileID);
  return url === 'none' ? undefined : (await call(url)).text;
}
