import { limits } from '../limits.ts';

/**
 * "Digits, lowercase and uppercase Latin letters, `/`, `!`, `-`, `_`, `.`, `,`, `*`, and Chinese
 * characters", with a leading `/` (D24). Segments that are empty, `.` or `..` are names like others.
 */
export function isFilePath(path: string): boolean {
  return /^\/[0-9A-Za-z/!\-_.,*\u4e00-\u9fff]+$/.test(path) && path.length <= limits.pathCharacters;
}
