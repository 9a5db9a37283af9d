import type { StorageClient } from '../create-storage-client.ts';
import { unwrapEnvelope } from '../internal/storage.ts';
import { mapLimit } from '../operations/lists.ts';
import { Failure, type Outcome } from './output.ts';

const REMOTE = 'remote:';

/** File IDs have the form `cloud://<envId>.<bucket>/<path>` (D23). */
const FILE_ID = /^[a-z][a-z\d+.-]*:\/\//i;

export function isRemote(text: string): boolean {
  return text.startsWith(REMOTE);
}

export function isFileId(text: string): boolean {
  return FILE_ID.test(text);
}

export function toRemotePath(text: string): string {
  const path = text.slice(REMOTE.length);
  if (isRemote(text) && path.startsWith('/')) return path.slice(1);
  const example = isFileId(text) ? 'path' : (isRemote(text) ? path : text).replace(/^[./]+/, '');
  throw new Failure(`${text} is not a storage path: write it as ${REMOTE}/${example}`, 2);
}

/**
 * Returns the ID of a file that the user named by ID or as `remote:/path`. The storage API cannot look up the
 * ID of a path, but an upload grant for the path contains the ID. This function therefore requests a grant.
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
  if (!fileID) throw new Failure(`The storage API returned no ID for ${name}.`, 1);
  return fileID;
}

export function toFilePath(name: string): string {
  const path = toRemotePath(name);
  if (path !== '' && !path.endsWith('/')) return path;
  throw new Failure(
    `${name} is a folder, and the storage API cannot list folders: pass the files one by one.`,
    2,
  );
}

export function assertDistinct(places: readonly string[]): void {
  const seen = new Set<string>();
  for (const place of places) {
    if (seen.has(place)) {
      throw new Failure(
        `More than one file would be written to ${place}: copy them one by one.`,
        2,
      );
    }
    seen.add(place);
  }
}

/** Runs `work` for a few files at a time, and returns the outcomes in order. */
export function inParallel<File>(
  files: readonly File[],
  nameOf: (file: File) => string,
  work: (file: File) => Promise<Omit<Outcome, 'file' | 'error'>>,
): Promise<Outcome[]> {
  return mapLimit(files, async (each) => {
    const file = nameOf(each);
    return work(each).then(
      (outcome) => ({ file, ...outcome }),
      (error: unknown) => ({ file, error }),
    );
  });
}
