import type { Context } from '../context.ts';
import { cors } from '../contract/defaults.ts';
import { Refusal } from '../refusal.ts';
import type { Surface } from '../surface.ts';
import { serveFile } from './serve-file.ts';
import { toMissingFile, toUploadError, UPLOAD_CODES } from './upload-error.ts';

/** The temporary links: they download what was uploaded. */
export function createLink({ links, store }: Context): Surface {
  return {
    name: 'link',
    codes: UPLOAD_CODES,
    async answer(call) {
      const { method, path, query, request } = call;
      if (method !== 'GET' && method !== 'HEAD') {
        throw new Refusal('AccessDenied', `A link takes GET and HEAD, not ${method}.`, {
          status: 405,
          headers: { allow: cors.allowMethods.link.join(', ') },
        });
      }
      const verdict = links.check(path, query);
      if (verdict === 'mismatch') {
        throw new Refusal(
          'SignatureDoesNotMatch',
          'The link is not one that batchGetTempUrls returned.',
        );
      }
      if (verdict === 'expired') {
        throw new Refusal(
          'AccessDenied',
          'The link has expired: get a new one with batchGetTempUrls.',
        );
      }
      const file = store.get(verdict.key);
      return file === undefined ? toMissingFile(call) : serveFile(file, request.headers.range);
    },
    refuse: toUploadError,
  };
}
