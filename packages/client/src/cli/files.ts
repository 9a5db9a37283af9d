import { mkdir, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, posix, relative, resolve, sep } from 'node:path';
import type { StorageClient } from '../storage.ts';
import { unwrapEnvelope } from '../storage-call.ts';
import { Failure, forEachFile, write } from './output.ts';
import { openStorage } from './settings.ts';

/** Prefix of a path in the storage. */
const REMOTE = 'remote:';

interface FileOptions {
  readonly signal: AbortSignal;
}

/** `berth cp`: uploads or downloads files. The last name is the target. */
export async function cp(names: readonly string[], { signal }: FileOptions): Promise<void> {
  const from = names.slice(0, -1);
  const to = names.at(-1) as string;
  if (from.length === 0) throw new Failure(`Expected a source and a target, got only ${to}.`, 2);
  if (isStored(to)) await upload(from, toRemotePath(to), signal);
  else if (to === '-') await print(from, signal);
  else await download(from, to, signal);
}

async function upload(names: readonly string[], target: string, signal: AbortSignal) {
  const files = await findFiles(names, target);
  assertDistinct(files);
  const storage = await openStorage();
  await forEachFile(files, 'were not uploaded', async ({ file, to }, onProgress) => {
    const { fileID } = await storage.upload(to, { file }, { signal, onProgress });
    return fileID;
  });
}

interface Copy {
  readonly file: string;
  /** The target: a local path, or one in the storage without a leading slash. */
  readonly to: string;
  readonly size?: number | undefined;
}

/**
 * Finds the files that the user named. A single file is uploaded to the target path, unless that is a folder. Files in
 * a folder keep their paths below the target.
 */
async function findFiles(names: readonly string[], target: string): Promise<Copy[]> {
  const isSingle = names.length === 1;
  const found: Copy[] = [];
  for (const name of names) {
    if (isStored(name)) {
      throw new Failure(`${name} is in the storage already: berth mv moves files there.`, 2);
    }
    const info = await stat(name).catch(({ message }: Error) => {
      throw new Failure(`Cannot read ${name}: ${message}.`, 2);
    });
    const below = posix.join(target, basename(resolve(name)));
    if (!info.isDirectory()) {
      const to = isSingle && !isFolder(target) ? target : below;
      found.push({ file: name, to, size: info.size });
      continue;
    }
    const files: string[] = [];
    for await (const file of listFiles(name)) files.push(file);
    if (files.length === 0) throw new Failure(`There are no files in ${name}.`, 1);
    for (const file of files.sort()) {
      const path = relative(name, file).split(sep).join('/');
      const { size } = await stat(file).catch(() => ({ size: 0 }));
      found.push({ file, to: posix.join(isSingle ? target : below, path), size });
    }
  }
  return found;
}

/**
 * Lists everything in a folder except its folders. Links to folders are not followed, and the upload reports that they
 * are not files. A recursive `readdir` would follow them since Node 26.
 */
async function* listFiles(folder: string): AsyncGenerator<string> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* listFiles(path);
    else yield path;
  }
}

async function download(names: readonly string[], target: string, signal: AbortSignal) {
  const info = await stat(target).catch(() => undefined);
  const isInto = names.length > 1 || isFolder(target) || info?.isDirectory();
  const files = toStored(names).map(({ file }) => ({
    file,
    // Not the one of `posix`: on Windows, a `\` in the name of a stored file would start another folder.
    to: isInto ? join(target, basename(file)) : target,
  }));
  assertDistinct(files);
  const storage = await openStorage();
  await forEachFile(files, 'were not downloaded', async ({ file, to }, onProgress) => {
    const fileID = await toFileId(storage, file, signal);
    await mkdir(dirname(to), { recursive: true });
    await storage.downloadToFile(fileID, to, { signal, onProgress });
    return to;
  });
}

async function print(names: readonly string[], signal: AbortSignal): Promise<void> {
  const files = toStored(names);
  const storage = await openStorage();
  for (const { file } of files) {
    const { body } = await storage.download(await toFileId(storage, file, signal), { signal });
    await write(body ?? [], signal);
  }
}

/** Returns whether a path is that of a folder: the root of the storage, or with a slash at its end. */
function isFolder(path: string): boolean {
  return path === '' || path.endsWith('/');
}

function assertDistinct(files: readonly Copy[]): void {
  const targets = new Set<string>();
  for (const { to } of files) {
    if (targets.has(to)) throw new Failure(`More than one file would be written to ${to}.`, 2);
    targets.add(to);
  }
}

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

export async function rm(names: readonly string[], { signal }: FileOptions): Promise<void> {
  const files = toStored(names);
  const storage = await openStorage();
  await forEachFile(files, 'were not deleted', async ({ file }) => {
    await storage.delete(await toFileId(storage, file, signal), { signal });
    return undefined;
  });
}

export async function mv(file: string, to: string, { signal }: FileOptions): Promise<void> {
  const source = `/${toFilePath(file)}`;
  const target = `/${toFilePath(to)}`;
  const storage = await openStorage();
  await storage.move(source, target, { signal });
}

/** Returns whether a name is that of a stored file: its ID (`cloud://…`), or `remote:/path`. */
function isStored(name: string): boolean {
  return name.startsWith(REMOTE) || isFileId(name);
}

function isFileId(name: string): boolean {
  return /^[a-z][a-z\d+.-]*:\/\//i.test(name);
}

/** @throws Failure if the name is not `remote:/path` */
function toRemotePath(name: string): string {
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
function toStored(names: readonly string[]): { readonly file: string }[] {
  for (const name of names) if (!isFileId(name)) toFilePath(name);
  return names.map((file) => ({ file }));
}

/** Returns the ID of a stored file. Only an upload grant contains the ID of a path, so this requests one. */
async function toFileId(
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
