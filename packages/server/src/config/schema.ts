import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import {
  toWireProfile,
  type WireProfileError,
  type WireProfileInput,
} from '@berth/spec/wire-profile';
import profileSchema from '@berth/spec/wire-profile.schema.json' with { type: 'json' };
import { z } from 'zod';
import { environmentNameSchema, environmentSchema } from './environment-schema.ts';
import { adminSchema, listenSchema, redisSchema } from './network-schema.ts';

/** The contract's limits that an operator may set; all others apply to clients. */
const SETTABLE = [
  'gatewayBodyBytes',
  'gatewaySpoolBytes',
  'gatewayHeadersSeconds',
  'clockWindowSeconds',
  'tokenCacheSeconds',
  'storageBodyBytes',
  'batchItems',
  'linkSeconds',
  'linkMaxSeconds',
  'grantSeconds',
  'uploadBytes',
] as const satisfies readonly (keyof typeof defaults.limits)[];

type Settable = (typeof SETTABLE)[number];
type Limit = z.ZodDefault<z.ZodInt>;

const shape = Object.fromEntries(
  SETTABLE.map((name) => {
    const { value, description, unit } = defaults.limits[name];
    return [name, z.int().min(1).default(value).describe(`${description} In ${unit}.`)];
  }),
) as Record<Settable, Limit>;

const limitsSchema = z
  .strictObject(shape)
  .refine(
    ({ linkSeconds, linkMaxSeconds }) => linkSeconds <= linkMaxSeconds,
    'needs a `linkSeconds` that does not exceed `linkMaxSeconds`',
  )
  .describe('Limits of this deployment.');

export const DRIVERS = ['file', 's3'] as const;

const file = z
  .strictObject({
    driver: z.literal(DRIVERS[0]),
    root: z
      .string()
      .min(1)
      .default('./berth-data/files')
      .describe('Folder for the files, created if it does not exist. One process uses it.'),
  })
  .describe('Stores files in a folder on this machine.');

const s3 = z
  .strictObject({
    driver: z.literal(DRIVERS[1]),
    bucket: z.string().min(1).describe('Bucket in the object store; it must exist.'),
    region: z.string().min(1).default('us-east-1'),
    endpoint: z.url().optional().describe('URL of the store. Default: AWS, in the given region.'),
    prefix: z
      .string()
      .optional()
      .describe('Prefix of every key, so that the bucket can be shared.'),
    accessKeyId: z.string().min(1).optional(),
    secretAccessKey: z
      .string()
      .min(1)
      .optional()
      .describe(
        'Use a reference to an environment variable. Without a key pair, the default AWS credential chain applies.',
      ),
    forcePathStyle: z
      .boolean()
      .optional()
      .describe(
        'Whether the bucket is in the path instead of the host name. Ceph and MinIO require this.',
      ),
  })
  .refine(
    ({ accessKeyId, secretAccessKey }) =>
      (accessKeyId === undefined) === (secretAccessKey === undefined),
    'needs both `accessKeyId` and `secretAccessKey`, or neither',
  )
  .describe('Stores files as objects in an S3-compatible store.');

const storeSchema = z
  .discriminatedUnion('driver', [file, s3])
  .describe('Where files are stored. The server has no other state.');

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const { signature } = defaults;
const { $schema: _, ...profileJsonSchema } = profileSchema;

/** The names and forms of a deployment (D1). `@berth/spec` checks and completes them. */
const wireProfileSchema = z
  .looseObject({})
  .superRefine((profile, context) => {
    try {
      toWireProfile(profile as WireProfileInput);
    } catch (error) {
      const { field, problem } = error as WireProfileError;
      context.addIssue({ code: 'custom', path: field.split('.'), message: problem });
    }
  })
  .meta(profileJsonSchema as Record<string, unknown>);

const signingKey = z
  .strictObject({
    secret: z.string().min(32, 'must have at least 32 characters').optional(),
    file: z.string().min(1).optional().describe('File that contains the secret.'),
  })
  .refine(
    ({ secret, file }) => (secret === undefined) !== (file === undefined),
    'needs exactly one of `secret` and `file`',
  );

export const configSchema = z
  .strictObject({
    $schema: z.string().optional(),
    listen: listenSchema.prefault({}),
    admin: adminSchema.prefault({}),
    publicUrl: z
      .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
      .optional()
      .describe(
        "Public URL of this server, with which upload targets and links begin. Default: the host of the request, if it is one of this machine's addresses.",
      ),
    log: z
      .strictObject({
        level: z.enum(LEVELS).default('info'),
        calls: z
          .boolean()
          .default(false)
          .describe(
            'Whether to log every call. By default, only calls that fail with status 500 or above are logged.',
          ),
      })
      .prefault({})
      .describe('Log format: JSON lines on standard output.'),
    wireProfile: z
      .union([z.string().min(1), wireProfileSchema])
      .optional()
      .describe('JSON file with the wire profile of this deployment.'),
    cors: z
      .strictObject({
        origins: z
          .union([z.literal('*'), z.array(z.string().min(1))])
          .default('*')
          .describe('Origins whose pages may read responses.'),
        credentials: z
          .boolean()
          .default(false)
          .describe('Whether pages from the listed origins may send cookies. Not allowed with *.'),
      })
      .prefault({})
      .refine(
        ({ origins, credentials }) => !credentials || origins !== '*',
        'needs a list of `origins` with `credentials`: with *, any site could make calls with cookies',
      ),
    signature: z
      .strictObject({
        service: z.string().min(1).default(signature.service),
        storageSigningHost: z.string().min(1).default(signature.storageSigningHost),
      })
      .prefault({})
      .describe('Constants used in signatures. Clients must use the same ones.'),
    limits: limitsSchema.prefault({}),
    store: storeSchema.prefault({ driver: 'file' }),
    redis: redisSchema.optional(),
    keys: z
      .array(signingKey)
      .min(1, 'needs at least one key')
      .describe(
        'Secrets that sign upload grants and links. The first one signs and all are accepted, so that secrets can be rotated. All processes need the same keys.',
      ),
    environments: z
      .record(environmentNameSchema, environmentSchema)
      .refine((all) => Object.keys(all).length > 0, 'needs at least one environment')
      .describe('Environments by name.'),
  })
  .describe('Configuration of berth-server.');

/** A configuration as written: defaults may be omitted, and files are referred to by name. */
export type ConfigInput = z.input<typeof configSchema>;

/** A configuration with its defaults filled in. */
export type ParsedConfig = z.output<typeof configSchema>;

/**
 * Returns the JSON Schema (draft 2020-12) for a configuration file. The schema accepts any string that refers
 * to an environment variable (`${NAME}`), whose length is only known when the file is loaded.
 */
export function toJsonSchema(): object {
  return z.toJSONSchema(configSchema, {
    io: 'input',
    override({ jsonSchema }) {
      const { minLength = 0 } = jsonSchema;
      if (minLength < 2) return;
      delete jsonSchema.minLength;
      jsonSchema.pattern = `\\$\\{\\w+\\}|[\\s\\S]{${minLength}}`;
    },
  });
}
