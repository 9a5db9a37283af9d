import { BATCH_CONCURRENCY } from '../../generated/contract.gen.ts';
import { unwrapEnvelope } from '../../internal/envelope.ts';
import { mapLimit } from '../../operations/list-call.ts';
import type { StorageClient } from '../../storage-client.ts';
import { type CommonOptions, Failure, type Outcome } from '../output.ts';

/** What `berth cp` takes. */
export interface CpOptions extends CommonOptions {
  readonly list?: string;
}

const REMOTE = 'remote:';

/** "`fileID` = `cloud://<envId>.<bucket>/<path>`" (D23). */
const FILE_ID = /^[a-z][a-z\d+.-]*:\/\//i;

export function isRemote(text: string): boolean {
  return text.startsWith(REMOTE);
}

export function isFileId(text: string): boolean {
  return FILE_ID.test(text);
}

/**
 * The cloud path of `remote:/path`, without its leading slash.
 *
 * @throws Failure where it is none
 */
export function toRemotePath(text: string): string {
  const path = text.slice(REMOTE.length);
  if (isRemote(text) && path.startsWith('/')) return path.slice(1);
  const example = isFileId(text) ? 'path' : (isRemote(text) ? path : text).replace(/^[./]+/, '');
  throw new Failure(`${text} is no path of the storage: write ${REMOTE}/${example}`, 2);
}

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

/**
 * Finds out that two files would go to one place.
 *
 * @throws Failure that names the place
 */
export function assertDistinct(places: readonly string[]): void {
  const seen = new Set<string>();
  for (const place of places) {
    if (seen.has(place)) {
      throw new Failure(`Two of the files would be written to ${place}: copy them one by one.`, 2);
    }
    seen.add(place);
  }
}

/** Does the work of each file, a few at a time, and gives the outcomes in order. */
export function inParallel<File>(
  files: readonly File[],
  nameOf: (file: File) => string,
  work: (file: File) => Promise<Omit<Outcome, 'file' | 'error'>>,
): Promise<Outcome[]> {
  return mapLimit(files, BATCH_CONCURRENCY, async (each) => {
    const file = nameOf(each);
    return work(each).then(
      (outcome) => ({ file, ...outcome }),
      (error: unknown) => ({ file, error }),
    );
  });
}
