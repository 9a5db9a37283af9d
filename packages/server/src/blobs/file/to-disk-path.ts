import { join, sep } from 'node:path';
import type { BlobKey } from '../blob-store.ts';
import { assertFilePath, FilePathError } from '../file-path.ts';
import { decodeSegment, encodeSegment } from './encode-segment.ts';

/** Ends the name of a folder, so that a file `a` and a folder `a` are two names. */
const FOLDER_MARK = '+';
/** Ends all but the last piece of a segment that is longer than a name on disk may be. */
const PIECE_MARK = '~';

/**
 * Where the file of a key stands, relative to the folder of all files. Neither mark stands for itself
 * in an encoded segment, so no two keys share a place, and no file is in the way of a folder.
 *
 * @throws FilePathError for what is no key
 *
 * @example
 * toDiskPath({ env: 'dev', path: 'Photos/cat.jpg' }); // 'dev+/^photos+/cat.jpg'
 */
export function toDiskPath({ env, path }: BlobKey): string {
  if (env === '' || !env.isWellFormed()) throw new FilePathError('must be in an environment.');
  assertFilePath(path);
  const segments = [env, ...path.split('/')];
  const names = segments.flatMap((segment, index) => {
    const isFile = index === segments.length - 1;
    return encodeSegment(segment).map((piece, at, pieces) => {
      if (at < pieces.length - 1) return piece + PIECE_MARK;
      return isFile ? piece : piece + FOLDER_MARK;
    });
  });
  return join(...names);
}

/** The key of a place, or undefined where no key has it: somebody else put a file there. */
export function toBlobKey(diskPath: string): BlobKey | undefined {
  const segments: string[] = [];
  let pieces: string[] = [];
  const names = diskPath.split(sep);
  for (const [index, name] of names.entries()) {
    const mark = name.at(-1);
    const isMarked = mark === FOLDER_MARK || mark === PIECE_MARK;
    if (isMarked === (index === names.length - 1)) return undefined;
    pieces.push(isMarked ? name.slice(0, -1) : name);
    if (mark === PIECE_MARK) continue;
    const segment = decodeSegment(pieces);
    if (segment === undefined) return undefined;
    segments.push(segment);
    pieces = [];
  }
  const [env = '', ...path] = segments;
  const key = { env, path: path.join('/') };
  try {
    return toDiskPath(key) === diskPath ? key : undefined;
  } catch {
    return undefined;
  }
}
