import { createHash, randomUUID } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  createReadStream,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Content, Contents } from './contents.ts';
import type { StoredFile } from './file-store.ts';
import { makeFolder } from './make-folder.ts';

/** What is written of a file beside its bytes. */
interface Entry {
  readonly key: string;
  readonly size: number;
  readonly contentType: string;
  readonly etag: string;
  /** ISO 8601. */
  readonly modified: string;
  /** Name of the file with the bytes. */
  readonly content: string;
}

const ENTRY = '.json';
const BYTES = '.bin';
const TEMPORARY = '.tmp';

interface DiskContent extends Content {
  readonly name: string;
  readonly size: number;
}

/**
 * Keeps files in a folder: the bytes of each in one file, and what is known of it in another, which
 * comes last and by a rename. So a mock that is killed in the middle leaves the old file or the new one,
 * and bytes that nothing names, which are removed at the next start.
 *
 * @param folder is made where it is missing
 * @throws FolderError for one that cannot be used
 */
export function createDiskContents(folder: string): Contents {
  makeFolder(folder);

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
            // It was finished, and then found no room.
          }
          rmSync(path, { force: true });
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
        // Not every file system has links.
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
    },
  };
}

/** A name that every file system takes, whatever the key. */
function toEntryName(key: string): string {
  return createHash('sha256').update(key).digest('hex') + ENTRY;
}

function readFolder(
  folder: string,
  toContent: (name: string, size: number) => Content,
): [string, StoredFile][] {
  const names = readdirSync(folder);
  const entries = names
    .filter((name) => name.endsWith(ENTRY))
    .map((name): Entry => JSON.parse(readFileSync(join(folder, name), 'utf8')))
    .sort((a, b) => a.modified.localeCompare(b.modified));
  const used = new Set(entries.map(({ content }) => content));
  for (const name of names) {
    if (name.endsWith(TEMPORARY) || (name.endsWith(BYTES) && !used.has(name))) {
      rmSync(join(folder, name), { force: true });
    }
  }
  return entries.map(({ key, size, contentType, etag, modified, content }) => [
    key,
    { size, contentType, etag, modified: new Date(modified), content: toContent(content, size) },
  ]);
}

/** The folder of a session's files. */
export function toSessionFolder(dir: string, session: string): string {
  if (session === '') return join(dir, 'default');
  return join(dir, `session-${createHash('sha256').update(session).digest('hex').slice(0, 32)}`);
}
