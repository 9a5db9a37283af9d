import type { components } from '../generated/storage.v2.gen.ts';
import type { WireProfile } from '../wire-profile.ts';
import type { UploadGrant } from './to-upload-grant.ts';

type Field = keyof components['schemas']['UploadForm'];

/** The fields that no wire profile renames. */
const FIELDS = { signature: 'Signature', key: 'key', file: 'file' } as const satisfies Record<
  string,
  Field
>;

/** The multipart form of an upload. "`file` is the last field: what comes after it is ignored." */
export function toUploadForm(
  grant: UploadGrant,
  path: string,
  content: Blob,
  { uploadFields }: WireProfile,
): FormData {
  const form = new FormData();
  form.append(FIELDS.signature, grant.authorization);
  form.append(uploadFields.securityToken, grant.token);
  form.append(uploadFields.metaFileId, grant.storeFileID);
  form.append(FIELDS.key, path);
  form.append(FIELDS.file, content);
  return form;
}
