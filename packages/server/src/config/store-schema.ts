import { z } from 'zod';

/** Kinds of blob stores. */
export const DRIVERS = ['file', 's3'] as const;

const file = z
  .strictObject({
    driver: z.literal(DRIVERS[0]),
    root: z
      .string()
      .min(1)
      .default('./berth-data/files')
      .describe(
        'Folder of the files, made where it is missing. All processes of one server share it.',
      ),
  })
  .describe('Files in a folder of this machine.');

const s3 = z
  .strictObject({
    driver: z.literal(DRIVERS[1]),
    bucket: z.string().min(1).describe('Bucket of the object store; it must be there.'),
    region: z.string().min(1).default('us-east-1'),
    endpoint: z
      .url()
      .optional()
      .describe('Address of the store. Default: that of the region at AWS.'),
    prefix: z
      .string()
      .optional()
      .describe('Put before every key, so that others may use the bucket too.'),
    accessKeyId: z.string().min(1).optional(),
    secretAccessKey: z
      .string()
      .min(1)
      .optional()
      .describe(
        'Best a reference to an environment variable. Without a key pair the usual places of AWS are searched.',
      ),
    forcePathStyle: z
      .boolean()
      .optional()
      .describe(
        'Whether the bucket stands in the path and not in the host name. Ceph and MinIO need it.',
      ),
    presignedLinks: z
      .boolean()
      .default(false)
      .describe(
        'Links lead to the store itself: less work here, but the answers are those of the store.',
      ),
  })
  .refine(
    ({ accessKeyId, secretAccessKey }) =>
      (accessKeyId === undefined) === (secretAccessKey === undefined),
    'needs both `accessKeyId` and `secretAccessKey`, or none of them',
  )
  .describe('Objects of an S3-compatible store.');

/** Where the files are. */
export const storeSchema = z
  .discriminatedUnion('driver', [file, s3])
  .describe('Where the files are kept: the only state there is.');
