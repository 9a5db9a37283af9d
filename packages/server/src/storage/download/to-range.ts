import parseRange from 'range-parser';
import type { ByteRange } from '../../blobs/blob-store.ts';

/** Range units are case-insensitive (RFC 9110, section 14.1). */
const BYTES = /^bytes=/i;

/**
 * The one part of a file that a `Range` asks for; undefined for the whole file, `none` where no byte is
 * within.
 *
 * RFC 9110, section 14.2: a server may ignore the header. So it is for a unit other than bytes, for what
 * is no range, for several parts that do not make up one, and for a file that has no bytes.
 */
export function toRange(header: string | undefined, size: number): ByteRange | 'none' | undefined {
  if (header === undefined || size === 0 || !BYTES.test(header)) return undefined;
  const ranges = parseRange(size, widen(header, size), { combine: true });
  if (ranges === -1) return 'none';
  return ranges === -2 || ranges.length !== 1 ? undefined : ranges[0];
}

/**
 * RFC 9110, section 14.1.2: "If the selected representation is shorter than the specified suffix-length,
 * the entire representation is used." The parser takes such a part for one outside of the file.
 */
function widen(header: string, size: number): string {
  return header.replace(/([=,]\s*)-(\d+)/g, (part, before: string, length: string) =>
    Number(length) > size ? `${before}0-` : part,
  );
}
