import { limits } from '../limits.ts';
import { names } from '../names.ts';
import type { Grant } from './grants.ts';
import type { UploadRefusal } from './upload-refusals.ts';

/**
 * "A form with a missing or wrong Signature, token, meta file id or key stores nothing" (D30). Names and
 * values are compared as they are; `success_action_status` and other fields mean nothing here.
 */
export function checkForm(form: Map<string, Buffer>, grant: Grant): Buffer | UploadRefusal {
  const expected = {
    Signature: grant.authorization,
    [names.securityToken]: grant.token,
    [names.metaFileId]: grant.storeFileID,
    key: grant.path,
  };
  const file = form.get('file');
  const missing = Object.keys(expected).some((name) => !form.has(name));
  if (missing || !file) return 'FieldMissing';
  for (const [name, value] of Object.entries(expected)) {
    if (form.get(name)?.toString() !== value) return 'FieldMismatch';
  }
  return file.length > limits.fileBytes ? 'FileTooBig' : file;
}
