import { randomUUID } from 'node:crypto';
import type { BlobInfo } from '../blob-store.ts';

/** What the SDK tells of an object, with HEAD and with GET. */
interface ObjectHead {
  readonly ContentLength?: number | undefined;
  readonly ContentType?: string | undefined;
  readonly ETag?: string | undefined;
  readonly LastModified?: Date | undefined;
  readonly Metadata?: Record<string, string> | undefined;
}

/** A version of an object. Two of the same bytes have one ETag. */
export function toVersion({ ETag, LastModified, Metadata }: ObjectHead): string {
  return JSON.stringify([ETag, LastModified, Metadata?.version]);
}

/** Headers carry this much unchanged through every proxy and signature. */
const PLAIN_HEADER = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
const FALLBACK_TYPE = 'application/octet-stream';

/**
 * What is kept with an object. The ETag of an object is the MD5 of its content only where it was
 * neither put together from parts nor encrypted with a key of the store, so the MD5 is kept with it.
 */
export function toObjectHeaders({ etag, contentType }: BlobInfo) {
  const isPlain = PLAIN_HEADER.test(contentType);
  return {
    ContentType: isPlain ? contentType : FALLBACK_TYPE,
    Metadata: {
      md5: etag,
      version: randomUUID(),
      ...(!isPlain && { type: encodeURIComponent(contentType) }),
    },
  };
}

/** What is known of an object, also of one that something else has put there. */
export function toBlobInfo(head: ObjectHead): BlobInfo {
  const { md5, type } = head.Metadata ?? {};
  return {
    size: head.ContentLength ?? 0,
    etag: md5 ?? (head.ETag ?? '').replaceAll('"', ''),
    contentType: type ? decodeURIComponent(type) : (head.ContentType ?? FALLBACK_TYPE),
  };
}
