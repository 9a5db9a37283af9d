import { limit } from '../contract/defaults.ts';

/** The key of a file ID; undefined where it belongs to another environment or is no file ID. */
export function toKeyOfFileID(env: string, fileID: string): string | undefined {
  const prefix = toFileID(env, '');
  return fileID.startsWith(prefix) ? fileID.slice(prefix.length) : undefined;
}

/** The one bucket of a mock. */
const BUCKET = 'files';

/** D23: "`fileID` = `cloud://<envId>.<bucket>/<path>`, path unencoded". */
export function toFileID(env: string, key: string): string {
  return `cloud://${env}.${BUCKET}/${key}`;
}

/**
 * What is wrong with the path of a file, as the end of a sentence that begins with the field's name.
 *
 * D24: "empty, `.` and `..` segments and a trailing `/` are refused"; "at most 1,024 bytes of UTF-8";
 * "Upload paths: any Unicode but control characters, the same segment rules".
 *
 * @param pattern the item pattern of copy paths; it wants the leading `/` that may be left out
 */
export function pathFault(path: string, pattern?: RegExp): string | undefined {
  const key = toKey(path);
  if (key === '') return 'must not be empty.';
  if (!key.isWellFormed()) return 'must be well-formed Unicode: it has half of a surrogate pair.';
  if (/\p{Cc}/u.test(key)) return 'must not have control characters.';
  if (Buffer.byteLength(key) > limit('pathBytes')) {
    return `must be at most ${limit('pathBytes')} bytes long in UTF-8.`;
  }
  if (key.endsWith('/')) return 'must not end in "/": name the file.';
  const segment = key.split('/').find((part) => ['', '.', '..'].includes(part));
  if (segment !== undefined) return `must not have a segment "${segment}".`;
  if (pattern && !pattern.test(`/${key}`)) {
    return 'may have digits, Latin letters, Chinese characters and / ! - _ . , * only.';
  }
  return undefined;
}

/** D24: "one leading `/` dropped". */
export function toKey(path: string): string {
  return path.replace(/^\//, '');
}
