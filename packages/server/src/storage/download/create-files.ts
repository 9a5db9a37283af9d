import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type CorsOptions, createCors, UploadError } from '@berth/server-stubs';
import type { StorageContext } from '../storage-context.ts';
import { answerError, type Download, missingFile, toUploadError } from './answer-error.ts';
import { sendFile } from './send-file.ts';

/** Answers requests whose path begins with `/files/`. */
export type FilesListener = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Makes the downloads: what the links of `batchGetTempUrls` lead to. Errors are XML, as those of the
 * upload target (D27): 403 for a link that has expired or that nobody signed, 404 where the file is gone.
 */
export function createFiles(
  context: StorageContext,
  corsOptions: CorsOptions | undefined,
): FilesListener {
  const cors = createCors('link', context.wireProfile, corsOptions);
  return (request, response) => {
    const { method, headers, url = '' } = request;
    const { origin } = headers;
    const requestId = randomUUID();
    response.setHeader('x-request-id', requestId);
    if (method === 'OPTIONS') {
      // D11: "OPTIONS is the CORS preflight (204)".
      const preflight = cors.preflight(origin);
      response
        .writeHead(204, { ...preflight, allow: preflight['access-control-allow-methods'] })
        .end();
      return;
    }
    for (const [name, value] of Object.entries(cors.answer(origin)))
      response.setHeader(name, value);
    const download = { response, requestId, resource: toResource(url) };
    answer(url, download, context).catch((error: unknown) => {
      if (!(error instanceof UploadError)) context.onError(error, requestId);
      if (response.headersSent) {
        response.destroy();
        return;
      }
      const refusal = toUploadError(error);
      context.onRefusal(refusal.code, response);
      answerError(refusal, download);
    });
  };

  async function answer(url: string, download: Download, { links, bucketOf }: StorageContext) {
    const { method } = download.response.req;
    if (method !== 'GET' && method !== 'HEAD') {
      const allow = cors.preflight(undefined)['access-control-allow-methods'] ?? '';
      const message = `A link takes GET and HEAD, not ${method}.`;
      throw new UploadError('AccessDenied', { status: 405, message, headers: { allow } });
    }
    const link = links.check(url);
    if (link === 'mismatch') {
      const message = 'The link is not one that batchGetTempUrls returned.';
      throw new UploadError('SignatureDoesNotMatch', { message });
    }
    if (link === 'expired') {
      const message = 'The link has expired: get a new one with batchGetTempUrls.';
      throw new UploadError('AccessDenied', { message });
    }
    // An environment may be gone, or have another bucket, since the link was made.
    if (bucketOf(link.env) !== link.bucket) throw missingFile();
    await sendFile(link, download, context);
  }
}

/** The path of a request as people read it; as it came where it cannot be decoded. */
function toResource(url: string): string {
  const [path = ''] = url.split('?', 1);
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
