import { toFields, type UploadMeta } from '../../../storage/test/support/client.ts';
import { storage } from './calls.ts';

export type { UploadMeta as Grant } from '../../../storage/test/support/client.ts';

/** Performs the first step of an upload. */
export async function getGrant(mock: { url: string }, path: string): Promise<UploadMeta> {
  const { json } = await storage(mock, 'getUploadMetaData', { path });
  return json.body.data;
}

/** Creates the form of the second step, without its file. */
export const toForm = (grant: UploadMeta, key: string) => toFields(key, grant);

/** Posts an upload form, `file` last. */
export function postForm(
  url: string,
  fields: Record<string, string>,
  file?: Blob,
): Promise<Response> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  if (file) form.append('file', file, 'any-name');
  return fetch(url, { method: 'POST', body: form });
}

/** Performs both steps. */
export async function upload(
  mock: { url: string },
  path: string,
  content: string,
  type = 'text/plain',
): Promise<string> {
  const grant = await getGrant(mock, path);
  const response = await postForm(grant.url, toForm(grant, path), new Blob([content], { type }));
  if (response.status !== 204) throw new Error(await response.text());
  return grant.fileID;
}

/** Returns the link to a file; empty if there is none. */
export async function getLink(
  mock: { url: string },
  fileID: string,
  maxAge?: number,
): Promise<string> {
  const { json } = await storage(mock, 'batchGetTempUrls', { fileList: [{ fileID, maxAge }] });
  return json.body.data.fileList[0].tempFileURL;
}

/** Returns the content of a file; undefined if the file is missing. */
export async function read(mock: { url: string }, fileID: string): Promise<string | undefined> {
  const link = await getLink(mock, fileID);
  return link === '' ? undefined : (await fetch(link)).text();
}
