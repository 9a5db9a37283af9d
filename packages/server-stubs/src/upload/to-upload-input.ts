import { UploadError, type UploadErrorCode } from '../errors/upload-error.ts';
import type { Call, MultipartStream } from '../runtime/index.ts';
import type { WireProfile } from '../wire-profile.ts';
import { readForm } from './read-form.ts';
import { noteResource } from './resource-of.ts';
import { toContent } from './to-content.ts';
import type { UploadInput } from './upload-handlers.ts';

/** Names of the form's fields that are the same in every deployment. */
const SIGNATURE = 'Signature';
const KEY = 'key';

/**
 * Reads an upload up to its content.
 *
 * D30: "a form with a missing … Signature, token, meta file id or key stores nothing and answers an XML
 * `Error`".
 *
 * @throws UploadError for a form that lacks a field
 */
export async function toUploadInput(
  body: MultipartStream,
  { request }: Call,
  { uploadFields }: WireProfile,
  maxBytes: number,
): Promise<UploadInput> {
  const form = await readForm(body);
  const { fields, file } = form;
  const read = (name: string, code: UploadErrorCode) => {
    const value = fields.get(name.toLowerCase());
    if (value) return value;
    throw new UploadError(code, { message: `The form has no ${name}: send it before file.` });
  };
  const key = read(KEY, 'MalformedPOSTRequest');
  noteResource(request, key);
  return {
    key,
    signature: read(SIGNATURE, 'AccessDenied'),
    token: read(uploadFields.securityToken, 'AccessDenied'),
    metaFileId: read(uploadFields.metaFileId, 'AccessDenied'),
    file: toContent(form, maxBytes),
    filename: file.filename,
    contentType: file.mediaType,
    fields,
  };
}
