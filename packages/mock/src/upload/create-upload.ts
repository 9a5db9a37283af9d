import {
  createUploadRouter,
  type Router,
  UploadError,
  type UploadHandler,
} from '@berth/server-stubs';
import type { Context } from '../context.ts';
import { toKey } from '../files/file-path.ts';
import type { Draft, FileStore } from '../files/file-store.ts';
import { toLinkPath } from '../files/links.ts';
import { FolderError } from '../files/make-folder.ts';
import { preferencesOf } from '../oracle/consult.ts';
import { recordOf } from '../record/recorded-request.ts';
import { toRouterOptions } from '../router-options.ts';
import { answerAsDocumented } from './answer-as-documented.ts';

const DEFAULT_TYPE = 'application/octet-stream';

/** The upload target: second step of an upload. */
export function createUpload(context: Context): Router {
  const { securityToken, metaFileId } = context.profile.uploadFields;

  const uploadFile: UploadHandler = async (form, call) => {
    const { request } = call;
    const preferences = preferencesOf(call, 'upload', context) ?? context.dynamic;
    if (preferences !== undefined || context.options.mode === 'static') {
      // A form that breaks off is refused in every mode.
      for await (const _ of form.file);
      return answerAsDocumented(context.contract.documents, preferences);
    }
    const { files, grants } = recordOf(request).session;
    const key = toKey(form.key);
    const { signature: authorization, token } = form;
    const verdict = grants.check(key, { authorization, token, storeFileID: form.metaFileId });
    if (verdict === 'mismatch') {
      throw new UploadError('SignatureDoesNotMatch', {
        message: `Signature, ${securityToken}, ${metaFileId} and key do not belong together: send them as getUploadMetaData returned them.`,
      });
    }
    if (verdict === 'expired') {
      const message = 'The grant has expired: get a new one with getUploadMetaData.';
      throw new UploadError('AccessDenied', { message });
    }
    const draft = openDraft(files);
    try {
      for await (const chunk of form.file) if (!draft.append(chunk)) throw tooLarge();
      // D28: "A file is visible only when whole".
      const file = draft.commit(key, toContentType(form.contentType));
      if (file === undefined) throw tooLarge();
      return { etag: file.etag, location: `${context.originOf(request)}${toLinkPath(key)}` };
    } finally {
      draft.discard();
    }
  };
  return createUploadRouter({ uploadFile }, toRouterOptions(context, 'upload'));
}

function openDraft(files: FileStore): Draft {
  try {
    return files.draft();
  } catch (error) {
    if (!(error instanceof FolderError)) throw error;
    throw new UploadError('InternalError', { message: error.message });
  }
}

/** A media type that may stand in a header, or the type of unknown bytes. */
function toContentType(given: string): string {
  return /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(given) ? given : DEFAULT_TYPE;
}

function tooLarge(): UploadError {
  return new UploadError('EntityTooLarge', {
    message:
      'The file does not fit into the mock: send a smaller one, delete others, or raise maxStoreBytes.',
  });
}
