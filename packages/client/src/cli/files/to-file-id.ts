import { unwrapEnvelope } from '../../internal/envelope.ts';
import type { StorageClient } from '../../storage-client.ts';
import { Failure } from '../failure.ts';
import { isFileId, toRemotePath } from './remote.ts';

/**
 * The ID of a file that is named by its ID or as `remote:/path`. The storage API has no operation for
 * it, but tells the ID that an upload to the path would get, and a path has one ID.
 */
export async function toFileId(
  storage: StorageClient,
  name: string,
  signal: AbortSignal,
): Promise<string> {
  if (isFileId(name)) return name;
  const path = toFilePath(name);
  const operation = '/api/v2/envs/{envId}/storages:getUploadMetaData';
  const result = await storage.POST(operation, { body: { path }, signal });
  const { fileID } = unwrapEnvelope(result) as { fileID?: string };
  if (!fileID) throw new Failure(`The storage API tells no ID of ${name}.`, 1);
  return fileID;
}

/**
 * The path of `remote:/path` where it can be that of a file.
 *
 * @throws Failure where it is that of a folder
 */
export function toFilePath(name: string): string {
  const path = toRemotePath(name);
  if (path !== '' && !path.endsWith('/')) return path;
  throw new Failure(
    `${name} is a folder, which the storage API cannot list: name its files, or for cp give the --list of its upload.`,
    2,
  );
}
