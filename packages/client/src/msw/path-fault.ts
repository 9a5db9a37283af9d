import { FILE_LIMITS } from '../generated/msw.gen.ts';
import { toKey } from './files.ts';

/**
 * What is wrong with the path of a file, as the end of a sentence that begins with the field's name.
 *
 * "Empty, `.` and `..` segments and a trailing `/` are refused"; "at most 1,024 bytes of UTF-8";
 * "upload paths: any Unicode but control characters, the same segment rules" (D24).
 *
 * @param pattern the pattern of copy paths; it wants the leading `/` that may be left out
 */
export function pathFault(path: string, pattern?: string): string | undefined {
  const key = toKey(path);
  const most = FILE_LIMITS.pathBytes;
  if (/\p{Cc}/u.test(key)) return 'must not have control characters.';
  if (new TextEncoder().encode(key).length > most) return `must be at most ${most} bytes long.`;
  const segment = key.split('/').find((part) => ['', '.', '..'].includes(part));
  if (segment !== undefined) return `must not have a segment "${segment}".`;
  if (pattern && !new RegExp(pattern, 'u').test(`/${key}`)) return `must match ${pattern}.`;
  return undefined;
}
