import type { ServerResponse } from 'node:http';
import { toAnswer, UploadError } from '@berth/server-stubs';
import { BlobDamagedError, StoreUnavailableError } from '../../blobs/blob-errors.ts';
import { rowOf } from '../storage-rows.ts';

/** One download on its way to an answer. */
export interface Download {
  readonly response: ServerResponse;
  readonly requestId: string;
  /** What the download is about, as errors name it. */
  readonly resource: string;
}

/** The answer to a link whose file is gone; the table of the upload target has no code for it. */
export function missingFile(): UploadError {
  const { code, message } = rowOf('STORAGE_FILE_NONEXIST');
  return new UploadError(code, { status: 404, message });
}

/** What a failure of the store means to whoever uploads or downloads (D27). */
export function toUploadError(error: unknown): UploadError {
  if (error instanceof UploadError) return error;
  if (error instanceof BlobDamagedError) {
    const message = 'The file is damaged. Give the request ID to the operator.';
    return new UploadError('InternalError', { cause: error, message });
  }
  if (!(error instanceof StoreUnavailableError)) {
    return new UploadError('InternalError', { cause: error });
  }
  const { retryAfter } = rowOf('SERVICE_UNAVAILABLE');
  return new UploadError('ServiceUnavailable', {
    cause: error,
    ...(retryAfter !== undefined && { retryAfter }),
  });
}

/** Answers with an XML `Error`, as the upload target does; nothing may be sent yet. */
export function answerError(error: UploadError, { response, requestId, resource }: Download): void {
  const call = { request: response.req, requestId, rawPath: resource };
  const { status, headers, body } = error[toAnswer](call);
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (value !== undefined) response.setHeader(name, value);
  }
  response.setHeader('cache-control', 'no-store');
  response.statusCode = status;
  response.end(response.req.method === 'HEAD' ? undefined : body);
}
