import { assertFilePath, FilePathError } from '../blobs/file-path.ts';

/** Where the upload target is mounted. */
export const UPLOAD_PATH = '/upload';

/** Where downloads are. */
export const FILES_PATH = '/files';

/** D23: "`fileID` = `cloud://<envId>.<bucket>/<path>`, path unencoded". */
export function toFileID(env: string, bucket: string, path: string): string {
  return `cloud://${env}.${bucket}/${path}`;
}

/**
 * The path in a file ID. Undefined where it is of another environment or bucket, has a path that no
 * file can have, or is no file ID: to the caller there is no such file.
 */
export function toPathOfFileID(env: string, bucket: string, fileID: string): string | undefined {
  const prefix = toFileID(env, bucket, '');
  if (!fileID.startsWith(prefix)) return undefined;
  const path = fileID.slice(prefix.length);
  try {
    assertFilePath(path);
    return path;
  } catch (error) {
    if (error instanceof FilePathError) return undefined;
    throw error;
  }
}
