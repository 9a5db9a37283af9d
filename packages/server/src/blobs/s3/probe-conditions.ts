import { randomUUID } from 'node:crypto';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  PutObjectCommand,
  type PutObjectCommandOutput,
} from '@aws-sdk/client-s3';
import { type Bucket, type Conditions, statusOf, toCopySource, withS3Errors } from './bucket.ts';

/** Together with the removal of what it wrote, the probe delays the start of a server no longer than this. */
const PROBE_MILLISECONDS = 3_000;
const REMOVAL_MILLISECONDS = 1_000;

/** Statuses for a condition that does not hold; 409 if another change is in progress. */
const REFUSALS: readonly number[] = [404, 409, 412];
/** Statuses for a condition that the store does not implement. */
const UNSUPPORTED: readonly number[] = [400, 501];

const OTHER = '"00000000000000000000000000000000"';

/**
 * Finds out which conditions a store honours, with objects among the incomplete uploads, where a sweep would
 * find them if this process were killed. Each call has a condition that does not hold; if the call succeeds, the
 * store ignored the condition.
 * @throws StoreUnavailableError
 */
export async function probeConditions(bucket: Bucket): Promise<Conditions> {
  const { client, name, keys } = bucket;
  const abortSignal = AbortSignal.timeout(PROBE_MILLISECONDS);
  const object = { Bucket: name, Key: `${keys.uploads}probe-${randomUUID()}` };
  // Ceph ignores the conditions of copies of an object onto itself.
  const copy = { Bucket: name, Key: `${object.Key}-copy` };
  const put = { ...object, Body: 'probe' };
  const source = (version?: string) => toCopySource(bucket, { key: object.Key, version });
  const isRefused = (call: () => Promise<unknown>) =>
    withS3Errors(() =>
      call().then(
        () => false,
        (error) => {
          const status = statusOf(error) ?? 0;
          if (REFUSALS.includes(status)) return true;
          if (UNSUPPORTED.includes(status)) return false;
          throw error;
        },
      ),
    );
  const remove = (IfMatch: string) => () =>
    client.send(new DeleteObjectCommand({ ...object, IfMatch }), { abortSignal });
  try {
    const [{ ETag = OTHER }] = (await withS3Errors(() =>
      Promise.all(
        [put, { ...put, ...copy }].map((each) =>
          client.send(new PutObjectCommand(each), { abortSignal }),
        ),
      ),
    )) as [PutObjectCommandOutput];
    const [putNew, putOver, copyNew, copyFrom] = await Promise.all(
      [
        new PutObjectCommand({ ...put, IfNoneMatch: '*' }),
        new PutObjectCommand({ ...put, IfMatch: OTHER }),
        new CopyObjectCommand({ ...copy, ...source(), IfNoneMatch: '*' }),
        new CopyObjectCommand({ ...copy, ...source(OTHER) }),
      ].map((call) => isRefused(() => client.send(call as PutObjectCommand, { abortSignal }))),
    );
    const keepsOther = await isRefused(remove(OTHER));
    // Of two deletions of one version, the second one must fail.
    const removesOne = keepsOther && !(await isRefused(remove(ETag)));
    return {
      'PUT If-None-Match': putNew === true,
      'PUT If-Match': putOver === true,
      'COPY If-None-Match': copyNew === true,
      'COPY x-amz-copy-source-if-match': copyFrom === true,
      'DELETE If-Match': removesOne && (await isRefused(remove(ETag))),
    };
  } finally {
    const last = { abortSignal: AbortSignal.timeout(REMOVAL_MILLISECONDS) };
    // A sweep removes what remains.
    const removals = [object, copy].map((each) => client.send(new DeleteObjectCommand(each), last));
    await Promise.allSettled(removals);
  }
}
