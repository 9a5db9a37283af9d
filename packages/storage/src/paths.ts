import { COPY_PATH_PATTERN, LIMITS } from '@berth/server-stubs/contract';

const MAX_BYTES = LIMITS.pathBytes;
/** The character set for copy paths in the API description, which includes the leading `/`. */
const COPY_PATTERN = new RegExp(COPY_PATH_PATTERN, 'u');
const INVALID_SEGMENTS: readonly string[] = ['', '.', '..'];

/** Checks a key's path, which has no leading slash. @throws TypeError */
export function assertFilePath(path: string): void {
  const reason = findProblem(path);
  if (reason !== undefined) throw new TypeError(`The file path ${reason}`);
}

/** The path of a key, or the reason why no file can have it, as the rest of a sentence that starts with the field name. */
type ParsedPath =
  | { readonly path: string; readonly reason?: undefined }
  | { readonly path?: undefined; readonly reason: string };

/**
 * Converts a path that a caller sent to the path of a key (`BlobKey.path`). Paths are plain text: percent-encoding is
 * not decoded, backslashes are not separators, and nothing is normalized. One leading `/` is dropped.
 *
 * @example
 * parseFilePath('/photos/cat.jpg'); // { path: 'photos/cat.jpg' }
 * parseFilePath('photos/../cat.jpg'); // { reason: 'must not contain the segment "..".' }
 */
export function parseFilePath(input: string): ParsedPath {
  const path = input.startsWith('/') ? input.slice(1) : input;
  const reason = findProblem(path);
  return reason === undefined ? { path } : { reason };
}

/** Like `parseFilePath`, with the character set of the API description, in which Chinese means U+4E00 to U+9FFF. */
export function parseCopyPath(input: string): ParsedPath {
  const parsed = parseFilePath(input);
  if (parsed.path === undefined || COPY_PATTERN.test(`/${parsed.path}`)) return parsed;
  return { reason: 'may only contain digits, Latin letters, Chinese characters and / ! - _ . , *' };
}

function findProblem(path: string): string | undefined {
  if (path === '') return 'must not be empty.';
  // Checked first, so that no pattern runs on overlong input.
  if (path.length > MAX_BYTES || new TextEncoder().encode(path).length > MAX_BYTES) {
    return `must be at most ${MAX_BYTES} bytes long in UTF-8.`;
  }
  // Half a surrogate pair, which UTF-8 cannot encode.
  if (/\p{Cs}/u.test(path))
    return 'must be well-formed Unicode, but contains an unpaired surrogate.';
  if (/\p{Cc}/u.test(path)) return 'must not contain control characters.';
  if (path.endsWith('/')) return 'must not end in "/": include the file name.';
  const invalid = path.split('/').find((segment) => INVALID_SEGMENTS.includes(segment));
  return invalid === undefined ? undefined : `must not contain the segment "${invalid}".`;
}

/** Returns the file ID `cloud://<envId>.<bucket>/<path>`, with an unencoded path. */
export function toFileID(env: string, bucket: string, path: string): string {
  return `cloud://${env}.${bucket}/${path}`;
}

/** Returns the path in a file ID. To the caller, a file whose ID is malformed or belongs to another environment or bucket does not exist. */
export function parseFileID(env: string, bucket: string, fileID: string): string | undefined {
  const prefix = toFileID(env, bucket, '');
  if (!fileID.startsWith(prefix)) return undefined;
  const path = fileID.slice(prefix.length);
  return findProblem(path) === undefined ? path : undefined;
}
