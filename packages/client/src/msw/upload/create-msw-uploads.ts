import { http, type RequestHandler } from 'msw';
import { LINK_PATH, type MswContext, toPattern, UPLOAD_PATH } from '../context.ts';
import type { MswUploads } from './msw-uploads.ts';
import { readUpload } from './read-upload.ts';
import { serveFile } from './serve-file.ts';

/** Makes handlers of the upload target and of the links, and the default ones. */
export function createMswUploads(context: MswContext): {
  uploads: MswUploads;
  defaults: RequestHandler[];
} {
  const target = toPattern(context.storageUrl, UPLOAD_PATH);
  const links = toPattern(context.storageUrl, `${LINK_PATH}.*`);
  const uploads: MswUploads = {
    uploadFile: (resolver, options) =>
      http.post(target, ({ request }) => resolver({ request }), options),
    downloadFile: (resolver, options) =>
      http.all(
        links,
        ({ request }) => (/^(GET|HEAD)$/.test(request.method) ? resolver({ request }) : undefined),
        options,
      ),
  };
  return {
    uploads,
    defaults: [
      uploads.uploadFile(({ request }) => readUpload(request, context)),
      uploads.downloadFile(({ request }) => serveFile(request, context)),
    ],
  };
}
