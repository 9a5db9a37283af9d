import { crc32 } from 'node:zlib';
import type { BlobInfo } from '../blob-store.ts';

/** Last bytes of every file of a store: also the version of this format. */
const MAGIC = Buffer.from('BERTHv2\n');
/** Length and CRC-32 of the JSON text, four bytes each, big-endian, then the magic bytes. */
export const FOOTER_BYTES = 8 + MAGIC.length;
/** No longer JSON text is believed: a content type of a request fits many times. */
const MAX_JSON_BYTES = 64 * 1024;

export interface Trailer {
  readonly info: BlobInfo;
  /** Of the content. */
  readonly crc32: number;
}

/** What stands behind the content of each file: JSON text with what is known of it, and a footer. */
export function toTrailer({ info: { size, etag, contentType }, crc32: sum }: Trailer): Buffer {
  const json = Buffer.from(JSON.stringify({ size, etag, crc32: sum, contentType }));
  const numbers = Buffer.alloc(8);
  numbers.writeUInt32BE(json.length, 0);
  numbers.writeUInt32BE(crc32(json), 4);
  return Buffer.concat([json, numbers, MAGIC]);
}

/**
 * Bytes of the whole trailer, by its footer.
 *
 * @throws Error for what is no footer
 */
export function trailerBytesOf(footer: Buffer): number {
  if (footer.length !== FOOTER_BYTES || !footer.subarray(8).equals(MAGIC)) {
    throw new Error('it does not end as a file of the store does');
  }
  const jsonBytes = footer.readUInt32BE(0);
  if (jsonBytes > MAX_JSON_BYTES) throw new Error('its trailer says an impossible length');
  return jsonBytes + FOOTER_BYTES;
}

/**
 * Reads a trailer.
 *
 * @param fileBytes bytes of the whole file, content and trailer
 * @throws Error for a damaged one, or one of another file
 */
export function parseTrailer(trailer: Buffer, fileBytes: number): Trailer {
  const footer = trailer.subarray(trailer.length - FOOTER_BYTES);
  const json = trailer.subarray(0, trailer.length - FOOTER_BYTES);
  if (trailerBytesOf(footer) !== trailer.length) throw new Error('its trailer is cut off');
  if (crc32(json) !== footer.readUInt32BE(4)) throw new Error('its trailer is damaged');
  const { size, etag, crc32: sum, contentType } = JSON.parse(json.toString());
  if (size + trailer.length !== fileBytes) {
    throw new Error(`it has ${fileBytes - trailer.length} bytes instead of ${size}`);
  }
  return { info: { size, etag, contentType }, crc32: sum };
}
