import type { components } from '../generated/storage.v2.gen.ts';
import type { UploadGrant } from '../internal/to-upload-grant.ts';
import type { WireProfile } from '../wire-profile.ts';
import type { UploadForm } from './upload-form.ts';

type Field = keyof components['schemas']['UploadForm'];

/** The fields that no wire profile renames. */
const FIELDS = { signature: 'Signature', key: 'key', file: 'file' } as const satisfies Record<
  string,
  Field
>;

/** The form of an upload. "`file` is the last field: what comes after it is ignored." */
export function toUploadForm(
  grant: UploadGrant,
  path: string,
  { uploadFields }: WireProfile,
): Pick<UploadForm, 'url' | 'fields' | 'fileField' | 'fileName'> {
  return {
    url: grant.url,
    fields: [
      [FIELDS.signature, grant.authorization],
      [uploadFields.securityToken, grant.token],
      [uploadFields.metaFileId, grant.storeFileID],
      [FIELDS.key, path],
    ],
    fileField: FIELDS.file,
    fileName: path.slice(path.lastIndexOf('/') + 1),
  };
}
