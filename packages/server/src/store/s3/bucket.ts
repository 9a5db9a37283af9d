import { createHash } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import {
  type $Command,
  type GetObjectCommandOutput,
  type HeadObjectCommandOutput,
  S3Client,
  type S3ClientResolvedConfig,
  type ServiceInputTypes,
  type ServiceOutputTypes,
} from '@aws-sdk/client-s3';
import { type BlobInfo, type BlobKey, StoreUnavailableError } from '@berth/storage';
import type { Config } from '../../config/config.ts';
import {
  type Operation,
  runOperation,
  type SharedLock,
  toLocks,
  type WithLocks,
} from '../locks.ts';
import { assertEnvironment } from '../server-store.ts';

/** A store that is up accepts a connection within one round trip. */
const CONNECT_MILLISECONDS = 3_000;

/** How long a connection may be idle; after that, the call is retried or the download resumed. */
const IDLE_MILLISECONDS = 15_000;

const ATTEMPTS = 3;

/** Without a logger, the SDK writes the errors that it throws to the console as well. */
const SILENT = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

export interface S3StoreOptions extends Omit<Extract<Config['store'], { driver: 's3' }>, 'driver'> {
  readonly sharedLocks?: WithLocks | undefined;
}

type Command<Input extends ServiceInputTypes, Output extends ServiceOutputTypes> = $Command<
  Input,
  Output,
  S3ClientResolvedConfig
>;

/** Where an object is, as part of the input of a command. */
export interface ObjectPlace {
  readonly Bucket: string;
  readonly Key: string;
}

/** Sends a request of an operation. */
export type Send = <Input extends ServiceInputTypes, Output extends ServiceOutputTypes>(
  command: Command<Input, Output>,
) => Promise<Output>;

/** A bucket of an object store. Each request to it belongs to an operation. */
export class Bucket {
  readonly name: string;
  readonly client: S3Client;
  readonly prefix: string;
  readonly #withLocks: WithLocks;

  constructor(options: S3StoreOptions) {
    const { bucket, prefix = '', sharedLocks } = options;
    this.name = bucket;
    this.client = createClient(options);
    this.prefix = prefix;
    this.#withLocks = toLocks(sharedLocks);
  }

  /**
   * Returns where a file's object is: `<prefix><env>/<path>`, or `<prefix>.long/<env>/<SHA-256 of the path>` if that is
   * too long. No environment is called `.long`, and none can reach into another.
   */
  locate({ env, path }: BlobKey): ObjectPlace {
    assertEnvironment(env);
    const Key = `${this.prefix}${env}/${path}`;
    if (Buffer.byteLength(Key) <= MAX_KEY_BYTES) return { Bucket: this.name, Key };
    const hash = createHash('sha256').update(path).digest('hex');
    return { Bucket: this.name, Key: `${this.prefix}.long/${env}/${hash}` };
  }

  /** Returns the names of the locks on objects. */
  locksOf(...objects: ObjectPlace[]): string[] {
    return objects.map(({ Key }) => `s3://${this.name}/${Key}`);
  }

  /** Runs an operation with a single request. */
  send<Input extends ServiceInputTypes, Output extends ServiceOutputTypes>(
    command: Command<Input, Output>,
    options?: Operation,
  ): Promise<Output> {
    return this.run((send) => send(command), options);
  }

  /**
   * Runs an operation. Its requests are aborted if it takes too long, if another process may get its locks, and by
   * `stop`.
   * @param work sends its requests with `send`, which sends nothing once the operation has been aborted
   */
  run<T>(work: (send: Send) => Promise<T>, operation: Operation = {}): Promise<T> {
    const start = (signal: AbortSignal, lock?: SharedLock) =>
      work(async (command) => {
        signal.throwIfAborted();
        lock?.assertHeld();
        try {
          return await this.client.send(command, { abortSignal: signal });
        } catch (error) {
          // Throws the reason of the abort instead of the SDK's error.
          signal.throwIfAborted();
          const action = command.constructor.name.replace(/Command$/, '');
          throw toBucketError(`Cannot use the bucket "${this.name}": ${action}`, error as Error);
        }
      });
    return runOperation(start, this.#withLocks, operation);
  }
}

/** S3: "The object key name is a sequence of Unicode characters ... up to 1,024 bytes long." */
const MAX_KEY_BYTES = 1024;

function createClient(options: S3StoreOptions): S3Client {
  const { endpoint, region, accessKeyId, secretAccessKey } = options;
  // The server limits its own connections, and each slow reader occupies one of these.
  const agent = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY };
  return new S3Client({
    region,
    // Ceph and MinIO have no host name for each bucket.
    forcePathStyle: endpoint !== undefined,
    ...(endpoint !== undefined && { endpoint }),
    ...(accessKeyId !== undefined &&
      secretAccessKey !== undefined && { credentials: { accessKeyId, secretAccessKey } }),
    maxAttempts: ATTEMPTS,
    logger: SILENT,
    // Waiting for `100 Continue` takes a round trip for each part, and a store that refuses a part responds with an error anyway.
    expectContinueHeader: false,
    // Otherwise, streams get a trailer, which Ceph and others reject (411). The signature contains the SHA-256.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: CONNECT_MILLISECONDS,
      socketTimeout: IDLE_MILLISECONDS,
      httpAgent: agent,
      httpsAgent: agent,
    },
  });
}

/**
 * Returns an object's metadata, even if this server did not create it.
 * @throws StoreUnavailableError if the response did not come from S3
 */
export function toObjectInfo(head: HeadObjectCommandOutput | GetObjectCommandOutput): BlobInfo {
  return {
    size: expectS3(head.ContentLength),
    etag: head.Metadata?.etag ?? expectS3(head.ETag).replaceAll('"', ''),
    contentType: head.ContentType ?? 'application/octet-stream',
  };
}

/**
 * Returns a value that each response of S3 has.
 * @throws StoreUnavailableError if it is missing, for example because a proxy responded, so that nothing was done
 */
export function expectS3<T>(value: T | undefined): T {
  if (value !== undefined) return value;
  throw toNotS3Error();
}

export function toNotS3Error(): StoreUnavailableError {
  return new StoreUnavailableError('The response did not come from an S3-compatible store.');
}

/** Returns `undefined` if the object, or the version in the condition, does not exist. A HEAD request cannot tell whether the bucket is missing. */
export async function ifExists<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    const { cause } = error as Error;
    const isMissing = statusOf(cause) === 404 && (cause as Error).name !== 'NoSuchBucket';
    if (isMissing || statusOf(cause) === 412) return undefined;
    throw error;
  }
}

function statusOf(error: unknown): number | undefined {
  const { $metadata } = (error ?? {}) as { $metadata?: { httpStatusCode?: number } };
  return $metadata?.httpStatusCode;
}

/** Errors below 500 that may pass, or that an operator can fix. Any other means that the request was invalid. */
const UNAVAILABLE_STATUSES: readonly number[] = [401, 403, 404, 408, 409, 429];
const UNAVAILABLE_CODES = [
  'AuthorizationHeaderMalformed',
  'BadDigest',
  'ExpiredToken',
  'IncompleteBody',
  'InvalidToken',
  'RequestTimeout',
  'TokenRefreshRequired',
];

/**
 * Returns a StoreUnavailableError, or a plain error for a bug in this server, which a retry cannot fix. Messages of
 * a store may quote the request; names and numbers do not.
 */
function toBucketError(subject: string, cause: Error): Error {
  const status = statusOf(cause) ?? 0;
  const { code = cause.name } = cause as NodeJS.ErrnoException;
  // The response to HEAD has no body with a code.
  const reason = code === 'Unknown' ? STATUS_CODES[status] : code;
  const advice =
    status === 403 ? ' Check the permissions of the credentials (store.accessKeyId).' : '';
  const message = `${subject} failed (${[reason, status].filter(Boolean).join(', ')}).${advice}`;
  const isTransient =
    UNAVAILABLE_STATUSES.includes(status) || UNAVAILABLE_CODES.includes(cause.name);
  const isBug = status >= 400 && status < 500 && !isTransient;
  return new (isBug ? Error : StoreUnavailableError)(message, { cause });
}
