import { COPY_PATH_PATTERN, LIMITS } from '@berth/server-stubs/contract';

const MAX_BYTES = LIMITS.pathBytes;
/** The character set for copy paths in the API description, which includes the leading `/`. */
const COPY_PATTERN = new RegExp(COPY_PATH_PATTERN, 'u');
const INVALID_SEGMENTS: readonly string[] = ['', '.', '..'];

/** Thrown for a path that no file can have. */
export class FilePathError extends Error {
  override readonly name = 'FilePathError';
  /** What is wrong, as the rest of a sentence that starts with the field name. */
  readonly reason: string;

  constructor(reason: string) {
    super(`The file path ${reason}`);
    this.reason = reason;
  }
}

/**
 * Converts a path that a caller sent to the path of a key (`BlobKey.path`). Paths are plain text: percent-encoding is
 * not decoded, backslashes are not separators, and nothing is normalized. One leading `/` is dropped.
 *
 * @throws FilePathError
 * @example
 * toFilePath('/photos/cat.jpg'); // 'photos/cat.jpg'
 * toFilePath('photos/../cat.jpg'); // throws, reason: 'must not contain the segment "..".'
 */
export function toFilePath(input: string): string {
  // Checked first, so that the code below never works on longer text than a path may have.
  if (input.length > MAX_BYTES + 1) throw tooLong();
  const path = input.startsWith('/') ? input.slice(1) : input;
  assertFilePath(path);
  return path;
}

/** Like `toFilePath`, with the character set of the API description, in which Chinese means U+4E00 to U+9FFF. */
export function toCopyPath(input: string): string {
  const path = toFilePath(input);
  if (COPY_PATTERN.test(`/${path}`)) return path;
  throw new FilePathError(
    'may only contain digits, Latin letters, Chinese characters and / ! - _ . , *',
  );
}

/** Returns the result of a function above, or the error that it throws for a path that no file can have. */
export function tryPath(toPath: (input: string) => string, input: string): string | FilePathError {
  try {
    return toPath(input);
  } catch (error) {
    if (error instanceof FilePathError) return error;
    throw error;
  }
}

/** Checks a key's path, which has no leading slash. @throws FilePathError */
export function assertFilePath(path: string): void {
  if (path === '') throw new FilePathError('must not be empty.');
  if (path.length > MAX_BYTES || new TextEncoder().encode(path).length > MAX_BYTES) throw tooLong();
  // Half a surrogate pair, which UTF-8 cannot encode.
  if (/\p{Cs}/u.test(path)) {
    throw new FilePathError('must be well-formed Unicode, but contains an unpaired surrogate.');
  }
  if (/\p{Cc}/u.test(path)) throw new FilePathError('must not contain control characters.');
  if (path.endsWith('/')) throw new FilePathError('must not end in "/": include the file name.');
  const invalid = path.split('/').find((segment) => INVALID_SEGMENTS.includes(segment));
  if (invalid !== undefined) throw new FilePathError(`must not contain the segment "${invalid}".`);
}

function tooLong(): FilePathError {
  return new FilePathError(`must be at most ${MAX_BYTES} bytes long in UTF-8.`);
}

/** Returns the file ID `cloud://<envId>.<bucket>/<path>`, with an unencoded path. */
export function toFileID(env: string, bucket: string, path: string): string {
  return `cloud://${env}.${bucket}/${path}`;
}

/** To the caller, a file whose ID is malformed or belongs elsewhere does not exist. */
export function toPathOfFileID(env: string, bucket: string, fileID: string): string | undefined {
  const prefix = toFileID(env, bucket, '');
  const path = fileID.slice(prefix.length);
  const isInBucket = fileID.startsWith(prefix) && !path.startsWith('/');
  return isInBucket && typeof tryPath(toFilePath, path) === 'string' ? path : undefined;
}
