import type { UploadContent } from './upload-form.ts';

/**
 * Holds a content to its limits: it has at most `maxBytes`, and exactly `size` where that was told,
 * for `Content-Length` promised it (RFC 9110, section 8.6).
 *
 * @param read bytes so far; at the end, bytes in all
 * @throws RangeError
 */
export function assertLength(
  { size, maxBytes }: Pick<UploadContent, 'size' | 'maxBytes'>,
  read: number,
  isEnd: boolean,
): void {
  if (read > maxBytes) throw new RangeError(`The content is longer than maxBytes, ${maxBytes}.`);
  if (size === undefined || (isEnd ? read === size : read <= size)) return;
  throw new RangeError(`The content is ${isEnd ? 'shorter' : 'longer'} than its size, ${size}.`);
}
