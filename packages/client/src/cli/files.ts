import type { StorageClient } from '../storage.ts';
import { unwrapEnvelope } from '../storage-call.ts';
import { Failure, forEachFile } from './output.ts';
import { openStorage } from './settings.ts';

const REMOTE = 'remote:';

/** Returns whether a name is that of a stored file: its ID (`cloud://…`), or `remote:/path`. */
export function isStored(name: string): boolean {
  return name.startsWith(REMOTE) || isFileId(name);
}

function isFileId(name: string): boolean {
  return /^[a-z][a-z\d+.-]*:\/\//i.test(name);
}

/** @throws Failure if the name is not `remote:/path` */
export function toRemotePath(name: string): string {
  if (name.startsWith(`${REMOTE}/`)) return name.slice(REMOTE.length + 1);
  const example = isFileId(name) ? 'path' : name.replace(REMOTE, '').replace(/^[./]+/, '');
  throw new Failure(`${name} is not a storage path: write it as ${REMOTE}/${example}`, 2);
}

/** @throws Failure if the name is that of a folder, because the storage API cannot list folders */
function toFilePath(name: string): string {
  const path = toRemotePath(name);
  if (path !== '' && !path.endsWith('/')) return path;
  throw new Failure(`${name} is a folder, which the storage API cannot list: name each file.`, 2);
}

/** Checks the names of stored files, before anything is sent. */
export function toStored(names: readonly string[]): { readonly file: string }[] {
  for (const name of names) if (!isFileId(name)) toFilePath(name);
  return names.map((file) => ({ file }));
}

/** Returns the ID of a stored file. Only an upload grant contains the ID of a path, so this requests one. */
export async function toFileId(
  storage: StorageClient,
  name: string,
  signal: AbortSignal,
): Promise<string> {
  if (isFileId(name)) return name;
  const operation = '/api/v2/envs/{envId}/storages:getUploadMetaData';
  const result = await storage.POST(operation, { body: { path: toFilePath(name) }, signal });
  const { fileID } = unwrapEnvelope(result);
  if (!fileID) throw new Failure(`The storage API returned no ID for ${name}.`, 1);
  return fileID;
}

interface FileOptions {
  readonly signal: AbortSignal;
}

/** `berth url`: prints a link to each file. */
export async function url(
  names: readonly string[],
  { maxAge, signal }: FileOptions & { readonly maxAge?: number },
): Promise<void> {
  const files = toStored(names);
  const storage = await openStorage();
  await forEachFile(files, 'have no link', async ({ file }) =>
    storage.tempUrl(await toFileId(storage, file, signal), { maxAge, signal }),
  );
}

/** `berth rm`: deletes files. */
export async function rm(names: readonly string[], { signal }: FileOptions): Promise<void> {
  const files = toStored(names);
  const storage = await openStorage();
  await forEachFile(files, 'were not deleted', async ({ file }) => {
    await storage.delete(await toFileId(storage, file, signal), { signal });
    return undefined;
  });
}

/** `berth mv`: moves a file within the storage. */
export async function mv(file: string, to: string, { signal }: FileOptions): Promise<void> {
  const source = `/${toFilePath(file)}`;
  const target = `/${toFilePath(to)}`;
  const storage = await openStorage();
  await storage.move(source, target, { signal });
}
