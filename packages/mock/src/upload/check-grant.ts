import type { WireProfile } from '../contract/wire-profile.ts';
import { toKey } from '../files/file-path.ts';
import type { Grants } from '../files/grants.ts';
import { Refusal } from '../refusal.ts';

/** Names of the form's fields that are the same in every deployment. */
const SIGNATURE = 'Signature';
const KEY = 'key';

/**
 * The key that a form may write to.
 *
 * D30: "a form with a missing or wrong Signature, token, meta file id or key stores nothing and
 * answers an XML `Error`".
 *
 * @param fields the fields before `file`, their names in lower case
 */
export function checkGrant(
  fields: Map<string, string>,
  grants: Grants,
  { uploadFields }: WireProfile,
): string {
  const read = (name: string, code: string) => {
    const value = fields.get(name.toLowerCase());
    if (value) return value;
    throw new Refusal(code, `The form has no ${name}: send it before the field file.`);
  };
  const key = toKey(read(KEY, 'MalformedPOSTRequest'));
  const verdict = grants.check(key, {
    authorization: read(SIGNATURE, 'AccessDenied'),
    token: read(uploadFields.securityToken, 'AccessDenied'),
    storeFileID: read(uploadFields.metaFileId, 'AccessDenied'),
  });
  if (verdict === 'expired') {
    throw new Refusal(
      'AccessDenied',
      'The grant has expired: get a new one with getUploadMetaData.',
    );
  }
  if (verdict === 'mismatch') {
    throw new Refusal(
      'SignatureDoesNotMatch',
      `${SIGNATURE}, ${uploadFields.securityToken}, ${uploadFields.metaFileId} and ${KEY} do not belong together: send them as getUploadMetaData returned them.`,
    );
  }
  return key;
}
