import { crc32 } from 'node:zlib';
import type { BlobInfo } from './blob-store.ts';

/** The last bytes of every file of a store, and the version of this format. */
const MAGIC = Buffer.from('BERTHv2\n');
/**
 * Size of the footer: the length and the CRC-32 of the JSON text, as big-endian numbers of four bytes each,
 * and the magic bytes.
 */
export const FOOTER_BYTES = 8 + MAGIC.length;
/** Maximum length of the JSON text: several times the longest possible content type of a request. */
const MAX_JSON_BYTES = 64 * 1024;

export interface Trailer {
  readonly info: BlobInfo;
  readonly crc32: number;
}

export function toTrailer({ info: { size, etag, contentType }, crc32: sum }: Trailer): Buffer {
  const json = Buffer.from(JSON.stringify({ size, etag, crc32: sum, contentType }));
  const numbers = Buffer.alloc(8);
  numbers.writeUInt32BE(json.length, 0);
  numbers.writeUInt32BE(crc32(json), 4);
  return Buffer.concat([json, numbers, MAGIC]);
}

/**
 * Reads the length of the complete trailer from its footer.
 * @throws Error for an invalid footer
 */
export function trailerBytesOf(footer: Buffer): number {
  if (footer.length !== FOOTER_BYTES || !footer.subarray(8).equals(MAGIC)) {
    throw new Error('it does not end with the trailer of a stored file');
  }
  const jsonBytes = footer.readUInt32BE(0);
  if (jsonBytes > MAX_JSON_BYTES) throw new Error('its trailer has an invalid length');
  return jsonBytes + FOOTER_BYTES;
}

/**
 * Reads a trailer.
 * @param fileBytes size of the file, including content and trailer
 * @throws Error if it is damaged, or belongs to another file
 */
export function parseTrailer(trailer: Buffer, fileBytes: number): Trailer {
  const footer = trailer.subarray(trailer.length - FOOTER_BYTES);
  const json = trailer.subarray(0, trailer.length - FOOTER_BYTES);
  if (trailerBytesOf(footer) !== trailer.length) throw new Error('its trailer is truncated');
  if (crc32(json) !== footer.readUInt32BE(4)) throw new Error('its trailer is damaged');
  const { size, etag, crc32: sum, contentType } = JSON.parse(json.toString());
  if (size + trailer.length !== fileBytes) {
    throw new Error(`it has ${fileBytes - trailer.length} bytes instead of ${size}`);
  }
  return { info: { size, etag, contentType }, crc32: sum };
}
