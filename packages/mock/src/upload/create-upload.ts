import type { Context } from '../context.ts';
import { limit } from '../contract/defaults.ts';
import type { Draft } from '../files/file-store.ts';
import { toLinkPath } from '../files/links.ts';
import type { Answer } from '../http/answer.ts';
import { Refusal } from '../refusal.ts';
import type { Surface } from '../surface.ts';
import { checkGrant } from './check-grant.ts';
import { type FileSink, readForm } from './read-form.ts';
import { toUploadError, UPLOAD_CODES } from './upload-error.ts';

/** Path of the upload target in the storage document. */
export const UPLOAD_PATH = '/';

/** D27: "form field `success_action_status` 200/201/204 is honoured". */
const STATUS_FIELD = 'success_action_status';
const STATUSES = [200, 201, 204];
const DEFAULT_STATUS = 204;

const DEFAULT_TYPE = 'application/octet-stream';

/** The upload target: second step of an upload. */
export function createUpload(context: Context): Surface {
  const { grants, profile, store } = context;
  return {
    name: 'upload',
    codes: UPLOAD_CODES,
    async answer({ method, origin, request }) {
      if (method !== 'POST') throw wrongMethod(method);
      const draft = store.draft();
      const upload = { key: '', contentType: DEFAULT_TYPE, status: DEFAULT_STATUS };
      try {
        await readForm(request, (fields, contentType) => {
          upload.key = checkGrant(fields, grants, profile);
          upload.contentType = toContentType(contentType);
          upload.status = toStatus(fields.get(STATUS_FIELD));
          return toSink(draft);
        });
        // D28: "A file is visible only when whole".
        const file = draft.commit(upload.key, upload.contentType);
        if (file === undefined) throw tooLarge();
        return toAnswer(upload.status, file.etag, `${origin}${toLinkPath(upload.key)}`);
      } catch (error) {
        draft.discard();
        throw error;
      }
    },
    refuse: toUploadError,
  };
}

function toSink(draft: Draft): FileSink {
  let size = 0;
  return (chunk) => {
    size += chunk.length;
    if (size > limit('uploadBytes') || !draft.append(chunk)) throw tooLarge();
  };
}

function toAnswer(status: number, etag: string, location: string): Answer {
  return { status, headers: { etag, location } };
}

function toStatus(field: string | undefined): number {
  return STATUSES.find((status) => String(status) === field) ?? DEFAULT_STATUS;
}

/** A media type that may stand in a header, or the type of unknown bytes. */
function toContentType(given: string): string {
  return /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(given) ? given : DEFAULT_TYPE;
}

function tooLarge(): Refusal {
  return new Refusal(
    'EntityTooLarge',
    'The file does not fit into the mock: send a smaller one, delete others, or raise maxStoreBytes.',
  );
}

function wrongMethod(method: string): Refusal {
  return new Refusal('MalformedPOSTRequest', `The upload target takes POST, not ${method}.`, {
    status: 405,
    headers: { allow: 'POST, OPTIONS' },
  });
}
