import { http, type RequestHandler } from 'msw';
import { LINK_PATH, type MswContext, toPattern, UPLOAD_PATH } from '../context.ts';
import { allowPages, openToPages } from '../cors.ts';
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
      http.post(target, async ({ request }) => openToPages(await resolver({ request })), options),
    downloadFile: (resolver, options) =>
      http.all(
        links,
        async ({ request }) =>
          /^(GET|HEAD)$/.test(request.method)
            ? openToPages(await resolver({ request }))
            : undefined,
        options,
      ),
  };
  return {
    uploads,
    defaults: [
      allowPages(target, 'upload'),
      allowPages(links, 'link'),
      uploads.uploadFile(({ request }) => readUpload(request, context)),
      uploads.downloadFile(({ request }) => serveFile(request, context)),
    ],
  };
}
