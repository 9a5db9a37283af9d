import { BATCH_CONCURRENCY } from '../../generated/contract.gen.ts';
import { unwrapEnvelope } from '../../internal/envelope.ts';
import { mapLimit } from '../../operations/list-call.ts';
import type { StorageClient } from '../../storage-client.ts';
import { type CommonOptions, Failure, type Outcome } from '../output.ts';

/** Options of `berth cp`. */
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
 * @throws Failure if it is not a valid path
 */
export function toRemotePath(text: string): string {
  const path = text.slice(REMOTE.length);
  if (isRemote(text) && path.startsWith('/')) return path.slice(1);
  const example = isFileId(text) ? 'path' : (isRemote(text) ? path : text).replace(/^[./]+/, '');
  throw new Failure(`${text} is not a path in the storage: write ${REMOTE}/${example}`, 2);
}

/**
 * The ID of a file given by its ID or as `remote:/path`. The storage API has no operation for that, but
 * returns the ID that an upload to the path would get, and a path has one ID.
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

/**
 * The path of a file given as `remote:/path`.
 *
 * @throws Failure if it is the path of a folder
 */
export function toFilePath(name: string): string {
  const path = toRemotePath(name);
  if (path !== '' && !path.endsWith('/')) return path;
  throw new Failure(
    `${name} is a folder, which the storage API cannot list: name its files, or for cp pass the --list of its upload.`,
    2,
  );
}

/**
 * Checks that no two files would be written to the same place.
 *
 * @throws Failure that names the place
 */
export function assertDistinct(places: readonly string[]): void {
  const seen = new Set<string>();
  for (const place of places) {
    if (seen.has(place)) {
      throw new Failure(`Two files would be written to ${place}: copy them one by one.`, 2);
    }
    seen.add(place);
  }
}

/** Runs the work of each file, a few at a time, and returns the outcomes in order. */
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
