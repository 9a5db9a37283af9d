import { UploadError } from '../errors/upload-error.ts';
import { readXmlError } from '../internal/read-xml-error.ts';
import { redact } from '../internal/redact.ts';
import { requestIdOf } from '../internal/request-id-of.ts';
import type { StorageContext } from '../internal/storage-context.ts';
import { toUploadForm } from '../internal/to-upload-form.ts';
import { toUploadGrant } from '../internal/to-upload-grant.ts';

/** What can be uploaded: bytes, or a text, which is sent as UTF-8. */
export type UploadData = Blob | Uint8Array | string;

/** Options of an upload. */
export interface UploadOptions {
  /** Media type of the file. Default: the type of a `Blob`, else `application/octet-stream`. */
  readonly contentType?: string | undefined;
  /** Aborts the upload in either step. */
  readonly signal?: AbortSignal | undefined;
}

/** What an upload gives. */
export interface UploadResult {
  /** ID of the stored file, for links and deletion. */
  readonly fileID: string;
}

/** Uploads one file in the two steps of the contract. */
export async function upload(
  { call, fetch, wireProfile }: StorageContext,
  path: string,
  data: UploadData,
  { contentType, signal }: UploadOptions = {},
): Promise<UploadResult> {
  const content = toContent(data, contentType);
  const what = `${path} was not uploaded`;
  const operation = '/api/v2/envs/{envId}/storages:getUploadMetaData';
  const grant = toUploadGrant(await call(operation, { path }, what, signal), wireProfile, what);

  const body = toUploadForm(grant, path, content, wireProfile);
  // A redirect would carry the grant to another address; the contract knows none.
  const init = { method: 'POST', body, signal: signal ?? null, redirect: 'manual' } as const;
  const response = await fetch(new Request(grant.url, init));

  // "A success carries no such element": it decides, also with status 200.
  const error = readXmlError(await response.text());
  if (error === undefined && response.ok) return { fileID: grant.fileID };
  const secrets = [grant.authorization, grant.token, new URL(grant.url).search];
  const show = (text: string | undefined) => text && redact(text, secrets);
  throw new UploadError({
    what,
    method: init.method,
    path: new URL(grant.url).pathname,
    status: response.status,
    code: show(error?.Code),
    text: show(error?.Message),
    requestId: show(error?.RequestId) ?? requestIdOf(response),
  });
}

function toContent(data: UploadData, type: string | undefined): Blob {
  if (data instanceof Blob && type === undefined) return data;
  if (!(data instanceof Blob || ArrayBuffer.isView(data) || typeof data === 'string')) {
    throw new TypeError('The content of an upload is a Blob, a Uint8Array or a string.');
  }
  // Some libs exclude views of shared memory by type; where the platform does, it throws here.
  return new Blob(
    [data] as ConstructorParameters<typeof Blob>[0],
    type === undefined ? {} : { type },
  );
}
