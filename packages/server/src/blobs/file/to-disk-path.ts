import { join, sep } from 'node:path';
import { assertFilePath, FilePathError } from '@berth/server-stubs/engine';
import type { BlobKey } from '../blob-store.ts';

/**
 * Names on disk for one segment of a path. They are as readable as possible, and safe on any disk:
 *
 * - `a-z 0-9 - _ . , ( )`, single spaces and Chinese characters (U+4E00 to U+9FFF) are written as is; none of
 * them has a case, a composed form, or a special meaning to a file system;
 * - `^a` is the capital letter `A`, for disks that ignore case;
 * - `%c3%a9` is any other character, byte for byte in UTF-8; so are a dot or space at either end, and the
 * first letter of a name that Windows reserves.
 */
const PLAIN = /^[a-z0-9\-_.,() \u4e00-\u9fff]$/;

/** Windows trims dots and spaces at the end; a leading dot hides a file. */
const PLAIN_INSIDE_ONLY = /^[. ]$/;

/** "Naming Files, Paths, and Namespaces" in the Windows documentation. */
const RESERVED_NAME = /^(?:con|prn|aux|nul|com\d|lpt\d) *(?:\.|$)/;

/** Disks allow 255 bytes; this leaves room for the marks and for escaping both ends. */
const PIECE_BYTES = 240;

/** Ends the name of a folder, so that a file `a` and a folder `a` have different names. */
const FOLDER_MARK = '+';

/** Ends all but the last piece of a segment that is longer than a name on disk. */
const PIECE_MARK = '~';

/**
 * Returns the path of a key's file, relative to the folder of all files. Encoded segments contain neither
 * of the marks `+` and `~`, so no two keys have the same path, and no file has the same path as a folder.
 * @throws FilePathError for an invalid key
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

/**
 * Returns the key for a path, or `undefined` if no key has this path. The store does not create files with
 * such a path.
 */
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

function decodeSegment(pieces: readonly string[]): string | undefined {
  const bytes = pieces.join('').replace(/\^([a-z])/g, (_, letter: string) => letter.toUpperCase());
  try {
    const segment = decodeURIComponent(bytes);
    const again = encodeSegment(segment);
    const isSame = again.length === pieces.length && again.every((name, at) => name === pieces[at]);
    return isSame ? segment : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Splits a segment into pieces of at most 255 bytes, because it may be longer than a name on disk. No two
 * segments have the same pieces, even on a disk that folds case or normalises Unicode.
 */
function encodeSegment(segment: string): readonly string[] {
  const pieces: string[] = [];
  let piece: string[] = [];
  let bytes = 0;
  for (const character of segment) {
    const unit = toUnit(character);
    const unitBytes = Buffer.byteLength(unit);
    if (bytes + unitBytes > PIECE_BYTES) {
      pieces.push(toName(piece));
      piece = [];
      bytes = 0;
    }
    piece.push(unit);
    bytes += unitBytes;
  }
  pieces.push(toName(piece));
  return pieces;
}

function toUnit(character: string): string {
  if (PLAIN.test(character)) return character;
  return /^[A-Z]$/.test(character) ? `^${character.toLowerCase()}` : toEscape(character);
}

function toEscape(character: string): string {
  return [...Buffer.from(character)]
    .map((byte) => `%${byte.toString(16).padStart(2, '0')}`)
    .join('');
}

function toName(units: readonly string[]): string {
  const isReserved = RESERVED_NAME.test(units.join(''));
  const last = units.length - 1;
  return units
    .map((unit, index) => {
      const isEnd = index === 0 || index === last;
      const mustEscape = (isEnd && PLAIN_INSIDE_ONLY.test(unit)) || (isReserved && index === 0);
      return mustEscape ? toEscape(unit) : unit;
    })
    .join('');
}
