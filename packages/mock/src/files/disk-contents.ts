import { createHash, randomUUID } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  createReadStream,
  existsSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { FolderError, makeFolder } from '../util/folders.ts';
import type { Content, Contents, StoredFile } from './file-store.ts';

interface Entry {
  readonly key: string;
  readonly size: number;
  readonly contentType: string;
  readonly etag: string;
  /** ISO 8601. */
  readonly modified: string;
  readonly content: string;
}

const ENTRY = '.json';
const BYTES = '.bin';
const TEMPORARY = '.tmp';
/** Prefix of folder names; `default` is for calls without a session. */
const SESSION = 'session-';

interface DiskContent extends Content {
  readonly name: string;
  readonly size: number;
}

/**
 * Stores files in a folder. Each one is stored as two files: one with its bytes, and one with its
 * metadata, which is written last and then renamed. If the mock is killed in between, either the old or
 * the new version remains. The next start removes any bytes without metadata.
 *
 * @param folder created with the first file; a session's folder is removed with its last file
 * @param maxSessions maximum number of folders for sessions other than the default one
 */
export function createDiskContents(folder: string, maxSessions: number): Contents {
  const isSession = basename(folder).startsWith(SESSION);

  function open(): void {
    if (existsSync(folder)) return;
    const dir = dirname(folder);
    const others = existsSync(dir)
      ? readdirSync(dir).filter((name) => name.startsWith(SESSION))
      : [];
    if (isSession && others.length >= maxSessions) {
      throw new FolderError(
        `The folder ${dir} already has files from ${others.length} sessions: delete some of its subfolders, or raise maxSessions.`,
      );
    }
    makeFolder(folder);
  }

  function leave(): void {
    if (!isSession) return;
    try {
      rmdirSync(folder);
    } catch {
      // Other files remain.
    }
  }

  const toContent = (name: string, size: number): DiskContent => ({
    name,
    size,
    bytes: () => readFileSync(join(folder, name)),
    read: (start, end) =>
      size === 0 ? Buffer.alloc(0) : createReadStream(join(folder, name), { start, end }),
  });
  const drop = ({ content }: StoredFile) =>
    rmSync(join(folder, (content as DiskContent).name), { force: true });

  return {
    draft() {
      open();
      const name = randomUUID() + BYTES;
      const path = join(folder, name);
      const file = openSync(path, 'wx');
      let size = 0;
      return {
        append(chunk) {
          for (let at = 0; at < chunk.length; ) at += writeSync(file, chunk, at);
          size += chunk.length;
        },
        finish() {
          closeSync(file);
          return toContent(name, size);
        },
        discard() {
          try {
            closeSync(file);
          } catch {
            // The file is complete, but does not fit.
          }
          rmSync(path, { force: true });
          leave();
        },
      };
    },
    copy(content) {
      const source = content as DiskContent;
      const name = randomUUID() + BYTES;
      const [from, to] = [join(folder, source.name), join(folder, name)];
      try {
        linkSync(from, to);
      } catch {
        // Some file systems do not support links.
        copyFileSync(from, to);
      }
      return toContent(name, source.size);
    },
    load: () => readFolder(folder, toContent),
    save(key, { size, contentType, etag, modified, content }, old) {
      const entry: Entry = {
        key,
        size,
        contentType,
        etag,
        modified: modified.toISOString(),
        content: (content as DiskContent).name,
      };
      const path = join(folder, toEntryName(key));
      writeFileSync(path + TEMPORARY, JSON.stringify(entry));
      renameSync(path + TEMPORARY, path);
      if (old !== undefined) drop(old);
    },
    remove(key, file) {
      rmSync(join(folder, toEntryName(key)), { force: true });
      drop(file);
      leave();
    },
  };
}

/** Derives a name that is valid on every file system, whatever the key. */
function toEntryName(key: string): string {
  return createHash('sha256').update(key).digest('hex') + ENTRY;
}

/** @throws FolderError if a folder cannot be read */
function readFolder(
  folder: string,
  toContent: (name: string, size: number) => Content,
): [string, StoredFile][] {
  const names = new Set(listNames(folder));
  const entries: Entry[] = [];
  let isIntact = true;
  for (const name of names) {
    if (!name.endsWith(ENTRY)) continue;
    const entry = readEntry(join(folder, name));
    if (entry !== undefined && names.has(entry.content)) {
      entries.push(entry);
      continue;
    }
    isIntact = false;
    process.emitWarning(`${join(folder, name)} is invalid, so its file is ignored.`, 'MockWarning');
  }
  const used = new Set(entries.map(({ content }) => content));
  for (const name of names) {
    // It is unknown which bytes an invalid entry refers to.
    const isLeft = name.endsWith(BYTES) && !used.has(name) && isIntact;
    if (isLeft || name.endsWith(TEMPORARY)) rmSync(join(folder, name), { force: true });
  }
  return entries
    .sort((a, b) => a.modified.localeCompare(b.modified))
    .map(({ key, size, contentType, etag, modified, content }) => [
      key,
      { size, contentType, etag, modified: new Date(modified), content: toContent(content, size) },
    ]);
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [];
    throw new FolderError(`The folder ${folder} cannot be used: ${message}.`);
  }
}

/** @returns undefined if it is not an entry */
function readEntry(path: string): Entry | undefined {
  try {
    const entry: Entry = JSON.parse(readFileSync(path, 'utf8'));
    const { key, size, contentType, etag, modified, content } = entry;
    const texts = [key, contentType, etag, content];
    const isEntry = texts.every((text) => typeof text === 'string') && Number.isSafeInteger(size);
    return isEntry && !Number.isNaN(Date.parse(modified)) ? entry : undefined;
  } catch {
    return undefined;
  }
}

export function toSessionFolder(dir: string, session: string): string {
  if (session === '') return join(dir, 'default');
  return join(dir, `${SESSION}${createHash('sha256').update(session).digest('hex').slice(0, 32)}`);
}
