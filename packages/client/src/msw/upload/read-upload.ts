import { HttpResponse } from 'msw';
import type { MswContext } from '../context.ts';
import { toKey } from '../files.ts';
import { readForm } from './read-form.ts';
import { uploadError } from './upload-error.ts';

/**
 * The second step of an upload. "A form with a missing or wrong Signature, token, meta file id or key
 * stores nothing and answers an XML `Error`" (D30).
 */
export async function readUpload(
  request: Request,
  { grants, profile: { uploadFields }, store }: MswContext,
): Promise<Response> {
  const form = await readForm(request);
  // "Field names case-insensitive" (D27).
  const read = (name: string) => form?.get(name.toLowerCase())?.text ?? '';

  const file = form?.get('file');
  if (!file?.isFile || !read('key')) return uploadError('MalformedPOSTRequest');
  const key = toKey(read('key'));
  const grant = grants.get(read(uploadFields.securityToken));
  if (!grant) return uploadError('AccessDenied');
  const isWhole =
    grant.key === key &&
    grant.authorization === read('Signature') &&
    grant.storeFileID === read(uploadFields.metaFileId);
  if (!isWhole) return uploadError('SignatureDoesNotMatch');
  if (Date.now() >= grant.expires) return uploadError('AccessDenied');

  const type = file.headers['content-type'] ?? 'text/plain';
  const { etag } = store.put(key, file.bytes, type);
  const headers = { ETag: etag, 'X-Request-Id': crypto.randomUUID() };
  return new HttpResponse(null, { status: 204, headers });
}
