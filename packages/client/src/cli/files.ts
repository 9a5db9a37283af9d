import { mkdir, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, posix, relative, resolve, sep } from 'node:path';
import { unwrapEnvelope } from '../envelope.ts';
import { mapConcurrently } from '../files.ts';
import { STORAGE_PATH } from '../generated/contract.gen.ts';
import { createProgress, Failure, throwUnreadable, toMessage } from './output.ts';
import { openStorage } from './settings.ts';

const REMOTE = 'remote:';

export async function cp(from: string, to: string, signal: AbortSignal): Promise<void> {
  if (!isStored(to) && isStored(from)) return download(from, to, signal);
  if (!isStored(to)) throw new Failure(`One side must be in storage: ${REMOTE}/path.`, 2);
  if (!isStored(from)) return upload(from, toRemotePath(to), signal);
  throw new Failure(`${from} is already in storage: berth mv moves files there.`, 2);
}

async function upload(from: string, target: string, signal: AbortSignal): Promise<void> {
  const files = await findFiles(from, target);
  const storage = await openStorage();
  const progress = createProgress(files.reduce((sum, { size }) => sum + size, 0));
  const results = await mapConcurrently(files, ({ file, to, size }) => {
    const onProgress = progress.createReporter(size);
    return storage.upload(to, { file }, { signal, onProgress }).catch((error) => ({ error }));
  });
  progress.stop();
  let failed = 0;
  for (const [index, result] of results.entries()) {
    if ('fileID' in result) {
      process.stdout.write(`${result.fileID}\n`);
    } else if (!signal.aborted) {
      process.stderr.write(`berth: ${files[index]?.file}: ${toMessage(result.error)}\n`);
      failed += 1;
    }
  }
  signal.throwIfAborted();
  if (failed > 0) throw new Failure(`${failed} of ${files.length} files were not uploaded.`, 1);
}

/** Finds the files to upload, with their paths in the storage. Those in a folder keep their paths below the target. */
async function findFiles(from: string, target: string) {
  const info = await stat(from).catch((error) => throwUnreadable(from, error));
  if (!info.isDirectory()) {
    const to = isFolder(target) ? posix.join(target, basename(resolve(from))) : target;
    return [{ file: from, to, size: info.size }];
  }
  const files: { file: string; to: string; size: number }[] = [];
  for await (const file of listFiles(from)) {
    const { size } = await stat(file).catch(() => ({ size: 0 }));
    files.push({ file, to: posix.join(target, ...relative(from, file).split(sep)), size });
  }
  if (files.length === 0) throw new Failure(`There are no files in ${from}.`, 1);
  return files.sort((a, b) => (a.to < b.to ? -1 : 1));
}

/**
 * Lists everything in a folder except its folders. Links to folders are not followed, and the upload reports that they
 * are not files. A recursive `readdir` would follow them since Node 26.
 */
async function* listFiles(folder: string): AsyncGenerator<string> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error) =>
    throwUnreadable(folder, error),
  );
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* listFiles(path);
    else yield path;
  }
}

async function download(from: string, target: string, signal: AbortSignal): Promise<void> {
  const { storage, fileID } = await openFile(from, signal);
  const info = await stat(target).catch(() => undefined);
  // Not `basename` of `posix`: on Windows, a `\` in the name of a stored file would start another folder.
  const to = isFolder(target) || info?.isDirectory() ? join(target, basename(from)) : target;
  await mkdir(dirname(to), { recursive: true });
  const progress = createProgress();
  const onProgress = progress.createReporter();
  await storage.downloadToFile(fileID, to, { signal, onProgress }).finally(progress.stop);
  process.stdout.write(`${to}\n`);
}

export async function url(file: string, signal: AbortSignal, maxAge?: number): Promise<void> {
  const { storage, fileID } = await openFile(file, signal);
  process.stdout.write(`${await storage.tempUrl(fileID, { maxAge, signal })}\n`);
}

export async function rm(file: string, signal: AbortSignal): Promise<void> {
  const { storage, fileID } = await openFile(file, signal);
  await storage.delete(fileID, { signal });
}

export async function mv(from: string, to: string, signal: AbortSignal): Promise<void> {
  const source = `/${toFilePath(from)}`;
  const path = toRemotePath(to);
  const target = `/${path}${isFolder(path) ? posix.basename(source) : ''}`;
  await (await openStorage()).move(source, target, { signal });
}

/** Returns the ID of a stored file. Only an upload grant contains the ID of a path, so this requests one. */
async function openFile(name: string, signal: AbortSignal) {
  const path = isFileId(name) ? undefined : toFilePath(name);
  const storage = await openStorage();
  if (path === undefined) return { storage, fileID: name };
  const operation = `${STORAGE_PATH}getUploadMetaData` as const;
  const { fileID } = unwrapEnvelope(await storage.POST(operation, { body: { path }, signal }));
  if (!fileID) throw new Failure(`The storage API returned no ID for ${name}.`, 1);
  return { storage, fileID };
}

/** Returns whether a path is that of a folder: the root of the storage, or with a slash at its end. */
function isFolder(path: string): boolean {
  return path === '' || path.endsWith('/');
}

function isStored(name: string): boolean {
  return name.startsWith(REMOTE) || isFileId(name);
}

function isFileId(name: string): boolean {
  return /^[a-z][a-z\d+.-]*:\/\//i.test(name);
}

function toRemotePath(name: string): string {
  if (name.startsWith(`${REMOTE}/`) || name === REMOTE) return name.slice(REMOTE.length + 1);
  const example = isFileId(name) ? 'path' : name.replace(REMOTE, '').replace(/^[./]+/, '');
  throw new Failure(`${name} is not a storage path: write it as ${REMOTE}/${example}`, 2);
}

/** @throws Failure if the name is that of a folder, because the storage API cannot list folders */
function toFilePath(name: string): string {
  const path = toRemotePath(name);
  if (!isFolder(path)) return path;
  throw new Failure(`${name} is a folder, which the storage API cannot list: specify a file.`, 2);
}
