import { UploadError } from '@berth/server-stubs';
import {
  BlobExistsError,
  type BlobInfo,
  BlobMissingError,
  type BlobStore,
  StoreFullError,
} from '@berth/server-stubs/engine';
import { FolderError } from '../util/folders.ts';
import type { Draft, FileStore, StoredFile } from './file-store.ts';

/** Adapts a session's files to the storage API. */
export function toBlobStore(files: FileStore): BlobStore {
  return {
    async write({ path }, content, { contentType }) {
      const draft = openDraft(files);
      try {
        for await (const chunk of content) if (!draft.append(toBuffer(chunk))) throw tooLarge();
        const file = draft.commit(path, contentType);
        if (file === undefined) throw tooLarge();
        return toInfo(file);
      } finally {
        draft.discard();
      }
    },
    async stat({ path }) {
      const file = files.get(path);
      return file && toInfo(file);
    },
    async open({ path }) {
      const file = files.get(path);
      return (
        file && {
          info: toInfo(file),
          read: ({ start, end } = { start: 0, end: file.size - 1 }) =>
            file.content.read(start, end),
          close: async () => {},
        }
      );
    },
    async copy(from, to, { overwrite, move = false }) {
      const file = files.get(from.path);
      if (file === undefined) throw new BlobMissingError(from);
      if (!overwrite && files.get(to.path) !== undefined) throw new BlobExistsError(to);
      if (!files.copy(from.path, to.path, { move })) {
        throw new StoreFullError(
          "The copy does not fit in the mock's storage: delete files, or raise maxStoreBytes.",
        );
      }
      return toInfo(file);
    },
    delete: async ({ path }) => files.delete(path),
  };
}

function toInfo({ size, contentType, etag, modified }: StoredFile): BlobInfo {
  return { size, contentType, etag: etag.slice(1, -1), modified };
}

function openDraft(files: FileStore): Draft {
  try {
    return files.draft();
  } catch (error) {
    if (!(error instanceof FolderError)) throw error;
    throw new UploadError('InternalError', { message: error.message });
  }
}

function toBuffer(chunk: Uint8Array): Buffer {
  return Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk);
}

function tooLarge(): StoreFullError {
  return new StoreFullError(
    "The file does not fit in the mock's storage: send a smaller one, delete other files, or raise maxStoreBytes.",
  );
}
