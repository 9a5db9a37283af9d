import { Headers, type Json, MutatedRequest } from '../../proxy/messages.ts';
import type { MutantContext } from '../mutant.ts';
import { type Form, writeForm } from './forms.ts';

/** The file ID of a path. */
export async function fileIdOf(context: MutantContext, path: string): Promise<string> {
  const data = await context.storage('getUploadMetaData', { path });
  return String(data?.fileID);
}

/** The bytes of a file; `undefined` where there is none. */
export async function readFile(
  context: MutantContext,
  fileID: string,
): Promise<Buffer | undefined> {
  const data = await context.storage('batchGetTempUrls', { fileList: [{ fileID }] });
  const [entry] = (data?.fileList ?? []) as Json[];
  if (entry?.code !== 'SUCCESS') return undefined;
  const { pathname, search } = new URL(entry.tempFileURL);
  const answer = await context.call({ method: 'GET', target: pathname + search, headers: {} });
  return answer.status === 200 ? answer.body : undefined;
}

export async function deleteFile(context: MutantContext, path: string): Promise<void> {
  await context.storage('batchDelete', { fileList: [await fileIdOf(context, path)] });
}

/** Stores a file by an upload of the mutant's own. */
export async function storeFile(
  context: MutantContext,
  path: string,
  bytes: Buffer = Buffer.alloc(0),
): Promise<void> {
  const data = await context.storage('getUploadMetaData', { path });
  const { url, authorization, token, storeFileID } = data as Record<string, string>;
  const request = new MutatedRequest(
    'POST',
    new URL(String(url)).pathname,
    new Headers([['Content-Type', 'multipart/form-data; boundary=of-the-mutant']]),
    Buffer.alloc(0),
  );
  const fields = {
    Signature: authorization,
    'x-store-security-token': token,
    'x-store-meta-fileid': storeFileID,
    key: path,
  };
  const form: Form = new Map(
    Object.entries(fields).map(([name, value]) => [name, Buffer.from(`${value}`)]),
  );
  writeForm(request, form.set('file', bytes));
  await context.call({
    method: 'POST',
    target: request.target,
    headers: { 'Content-Type': String(request.headers.get('content-type')) },
    body: request.body,
  });
}
