import { randomUUID } from 'node:crypto';
import { addAbortSignal, type Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import {
  BlobExistsError,
  type BlobInfo,
  type BlobKey,
  BlobMissingError,
  type ByteRange,
  type CopyOptions,
  FileTooLargeError,
  SourceKeptError,
  StoreUnavailableError,
  type WriteOptions,
} from '@berth/storage';
import {
  PART_BYTES,
  PartReader,
  type RemoteBody,
  readResumably,
  type ServerBlob,
  type ServerStore,
  toName,
  toServerBlob,
} from '../server-store.ts';
import {
  Bucket,
  expectS3,
  ifExists,
  type ObjectPlace,
  type S3StoreOptions,
  type Send,
  toNotS3Error,
  toObjectInfo,
} from './bucket.ts';

/** S3: "You create a copy of your object up to 5 GB in size in a single atomic action". */
const MAX_OBJECT_BYTES = 5 * 1024 ** 3;

const CLEAN_UP_SECONDS = 5;

/** IDs of the multipart uploads of this process. */
const uploadsInProgress = new Set<string>();

/** Skipping this many bytes costs less than another request. */
const MAX_SKIPPED_BYTES = 256 * 1024;

/** An unfinished upload of another process that began longer ago is aborted. */
const ABANDONED_MILLISECONDS = 7 * 24 * 3_600_000;

/**
 * Files in a bucket of S3 or a compatible store. They are objects named `<prefix><env>/<path>`; all other objects and
 * uploads under the prefix are treated as belonging to other processes of this server.
 *
 * The credentials need GetObject, PutObject, DeleteObject, AbortMultipartUpload, ListBucket, ListBucketMultipartUploads.
 *
 * Uploads and copies are atomic. Deletions and moves check first, which is exact within a process, and among processes
 * with `sharedLocks`. Nothing detects if several processes use a bucket without them: they may then delete or move the
 * same file, and lose a write to the source of a move.
 */
export class S3Store implements ServerStore {
  readonly #bucket: Bucket;

  constructor(options: S3StoreOptions) {
    this.#bucket = new Bucket(options);
  }

  /**
   * Uploads an object, which is atomic (D28): a single PUT is, and so is a multipart upload, because the store only shows
   * the object when the upload is completed. A sweep aborts what killed processes have left.
   */
  async write(
    key: BlobKey,
    content: Readable,
    { signal, contentType }: WriteOptions,
  ): Promise<BlobInfo> {
    const bucket = this.#bucket;
    const place = bucket.locate(key);
    // The store's own ETag does not change if only the type does.
    const etag = randomUUID();
    const object = { ...place, ContentType: contentType, Metadata: { etag } };
    const parts = new PartReader(content);
    const failure = new AbortController();
    /** Ends the requests and the content, if the caller cancels the upload or a part of it fails. */
    const stop = signal ? AbortSignal.any([failure.signal, signal]) : failure.signal;

    /** The SDK also signs the SHA-256 of a body in memory, so the store rejects content that changed in transit. */
    async function put(Body: Buffer): Promise<void> {
      const command = new PutObjectCommand({ ...object, Body });
      expectS3((await bucket.send(command, { names: bucket.locksOf(place), stop })).ETag);
    }

    async function putParts(first: Buffer): Promise<void> {
      const { UploadId } = await bucket.send(new CreateMultipartUploadCommand(object), { stop });
      const upload = { ...place, UploadId: expectS3(UploadId) };
      uploadsInProgress.add(upload.UploadId);
      try {
        const MultipartUpload = { Parts: await sendParts(first, upload) };
        const complete = new CompleteMultipartUploadCommand({ ...upload, MultipartUpload });
        // If this fails, the store may still complete it, so the parts must stay until a sweep.
        expectS3((await bucket.send(complete, { names: bucket.locksOf(place), stop })).ETag);
      } finally {
        uploadsInProgress.delete(upload.UploadId);
      }
    }

    /** Sends each part while the next one arrives. If one fails, discards them all. */
    async function sendParts(first: Buffer, upload: ObjectPlace & { UploadId: string }) {
      const sent: CompletedPart[] = [];
      let sending: Promise<void> | undefined;
      try {
        for (let Body = first; Body.length > 0; Body = await parts.read(sending)) {
          await sending;
          if (parts.size > MAX_OBJECT_BYTES) throw toTooLargeError();
          const PartNumber = sent.length + 1;
          sending = bucket
            .send(new UploadPartCommand({ ...upload, PartNumber, Body }), { stop })
            .then(({ ETag }) => void sent.push({ PartNumber, ETag: expectS3(ETag) }));
          // Otherwise, it would be noticed only when the next part has arrived.
          sending.catch((error) => failure.abort(error));
        }
        await sending;
        return sent;
      } catch (error) {
        failure.abort(error);
        // A part that arrives after the upload was aborted would stay in the store.
        await sending?.catch(() => {});
        const discard = new AbortMultipartUploadCommand(upload);
        await bucket.send(discard, { seconds: CLEAN_UP_SECONDS }).catch(() => {});
        throw error;
      }
    }

    try {
      stop.throwIfAborted();
      addAbortSignal(stop, content);
      const first = await parts.read();
      await (first.length < PART_BYTES ? put(first) : putParts(first));
      return { size: parts.size, etag, contentType };
    } catch (error) {
      content.destroy();
      stop.throwIfAborted();
      throw error;
    } finally {
      parts.release();
    }
  }

  async stat(key: BlobKey): Promise<BlobInfo | undefined> {
    const object = this.#bucket.locate(key);
    const head = await this.#bucket.run((send) => this.#findObject(send, object));
    return head && toObjectInfo(head);
  }

  /**
   * Opens an object. Reading the complete object always returns this version, even if it is replaced. A range
   * that begins far from the start gets its own request, as long as this version still exists.
   */
  async open(key: BlobKey): Promise<ServerBlob | undefined> {
    const bucket = this.#bucket;
    const object = bucket.locate(key);
    const name = toName(key);
    const found = await getObject(bucket, object);
    if (found === undefined) return undefined;
    const { info, ETag } = found;
    // Not read yet.
    let fresh: Readable | undefined = found.body;

    async function connect({ start, end }: ByteRange): Promise<RemoteBody> {
      const complete = fresh?.destroyed ? undefined : fresh;
      fresh = undefined;
      if (complete && start <= MAX_SKIPPED_BYTES) return { body: complete, start: 0 };
      const condition = { Range: `bytes=${start}-${end}`, IfMatch: ETag };
      const part = await getObject(bucket, object, condition).catch((error) => {
        complete?.destroy();
        throw error;
      });
      if (part) {
        complete?.destroy();
        // RFC 9110, section 14.2: "A server MAY ignore the Range header field."
        const first = /^bytes (\d+)-/.exec(part.ContentRange ?? '')?.[1] ?? 0;
        return { body: part.body, start: Number(first) };
      }
      if (complete) return { body: complete, start: 0 };
      throw new StoreUnavailableError('The file was replaced while it was being read.');
    }

    const release = () => {
      // A connection can be reused once its response has been read to the end.
      if (info.size <= MAX_SKIPPED_BYTES) fresh?.resume();
      else fresh?.destroy();
      fresh = undefined;
    };
    return toServerBlob({ name, info, content: (range) => readResumably(range, connect), release });
  }

  /** Not all stores have conditional copies and deletions (MinIO, Ceph 16), so both files stay locked meanwhile. */
  async copy(from: BlobKey, to: BlobKey, { overwrite, move }: CopyOptions): Promise<BlobInfo> {
    const [source, destination] = [this.#bucket.locate(from), this.#bucket.locate(to)];
    const path = source.Key.split('/').map(encodeURIComponent).join('/');
    // The store copies the type and metadata of the object as well, but may encrypt the copy differently.
    const copy = new CopyObjectCommand({ ...destination, CopySource: `${source.Bucket}/${path}` });
    const work = async (send: Send) => {
      const head = await this.#findObject(send, source);
      if (head === undefined) throw new BlobMissingError(from);
      const info = toObjectInfo(head);
      if (info.size > MAX_OBJECT_BYTES) throw toTooLargeError();
      const isFree = overwrite || !(await ifExists(send(new HeadObjectCommand(destination))));
      if (!isFree) throw new BlobExistsError(to);
      const copied = await ifExists(send(copy));
      // Another program, which takes no locks, has deleted the source.
      if (copied === undefined) throw new BlobMissingError(from);
      expectS3(copied.CopyObjectResult?.ETag);
      if (!move) return info;
      await deleteObject(send, source).catch((error) => {
        throw new SourceKeptError(info, error);
      });
      return info;
    };
    return this.#bucket.run(work, { names: this.#bucket.locksOf(source, destination) });
  }

  async delete(key: BlobKey): Promise<boolean> {
    const object = this.#bucket.locate(key);
    const work = async (send: Send) => {
      if ((await this.#findObject(send, object)) === undefined) return false;
      await deleteObject(send, object);
      return true;
    };
    return this.#bucket.run(work, { names: this.#bucket.locksOf(object) });
  }

  async sweep(): Promise<number> {
    const abandonedSince = new Date(Date.now() - ABANDONED_MILLISECONDS);
    const bucket = this.#bucket;
    const folder = { Bucket: bucket.name, Prefix: bucket.prefix };
    let count = 0;
    let page: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } = {};
    for (let isMore = true; isMore; ) {
      const found = await bucket.send(new ListMultipartUploadsCommand({ ...folder, ...page }));
      for (const { Key, UploadId = '', Initiated } of found.Uploads ?? []) {
        const isAbandoned = Initiated !== undefined && Initiated <= abandonedSince;
        if (!isAbandoned || uploadsInProgress.has(UploadId)) continue;
        const abort = new AbortMultipartUploadCommand({ Bucket: bucket.name, Key, UploadId });
        if (await ifExists(bucket.send(abort))) count += 1;
      }
      isMore = found.IsTruncated === true;
      page = { KeyMarker: found.NextKeyMarker, UploadIdMarker: found.NextUploadIdMarker };
    }
    return count;
  }

  check(isStart = false): Promise<void> {
    const { name, prefix } = this.#bucket;
    // No file has this key, and processes that start at the same time can share it.
    const probe = { Bucket: name, Key: `${prefix}.probe` };
    return this.#bucket.run(async (send) => {
      await this.#assertExists(send);
      if (!isStart) return;
      expectS3((await send(new PutObjectCommand({ ...probe, Body: 'probe' }))).ETag);
      await deleteObject(send, probe);
    });
  }

  async close(): Promise<void> {
    this.#bucket.client.destroy();
  }

  /** A 404 to HEAD has no body that says whether the object or the bucket is missing. */
  async #findObject(send: Send, object: ObjectPlace) {
    const head = await ifExists(send(new HeadObjectCommand(object)));
    if (head === undefined) await this.#assertExists(send);
    return head;
  }

  async #assertExists(send: Send): Promise<void> {
    const { name } = this.#bucket;
    if (await ifExists(send(new HeadBucketCommand({ Bucket: name })))) return;
    throw new StoreUnavailableError(`The bucket "${name}" does not exist.`);
  }
}

async function deleteObject(send: Send, object: ObjectPlace): Promise<void> {
  const { $metadata } = await send(new DeleteObjectCommand(object));
  // The response has no body or headers to check, only its status.
  if ($metadata.httpStatusCode !== 204) throw toNotS3Error();
}

function toTooLargeError(): FileTooLargeError {
  return new FileTooLargeError(`Files in this store have at most ${MAX_OBJECT_BYTES} bytes.`);
}

async function getObject(
  bucket: Bucket,
  object: ObjectPlace,
  condition: { readonly Range?: string; readonly IfMatch?: string | undefined } = {},
) {
  const found = await ifExists(bucket.send(new GetObjectCommand({ ...object, ...condition })));
  if (found === undefined) return undefined;
  const body = found.Body as Readable;
  // A connection that breaks before anyone reads is replaced when someone does.
  body.on('error', () => {});
  try {
    return { ...found, body, info: toObjectInfo(found) };
  } catch (error) {
    body.destroy();
    throw error;
  }
}
