import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import { z } from 'zod';
import { environmentNameSchema, environmentSchema } from './environment-schema.ts';
import { adminSchema, listenSchema } from './network-schema.ts';

/** Limits of the contract that an operator may set; the others bind clients. */
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

/** Limits, whose defaults are those of the contract. */
const limitsSchema = z
  .strictObject(shape)
  .refine(
    ({ linkSeconds, linkMaxSeconds }) => linkSeconds <= linkMaxSeconds,
    'needs `linkSeconds` of at most `linkMaxSeconds`',
  )
  .describe('Limits of this deployment.');

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
const storeSchema = z
  .discriminatedUnion('driver', [file, s3])
  .describe('Where the files are kept: the only state there is.');

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const { signature } = defaults;
const header = z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, 'must be a header or field name');

/** The names on the wire of a deployment (D1). */
export const wireProfileSchema = z.strictObject({
  $schema: z.string().optional(),
  name: z.string().optional(),
  storageHeaders: z.strictObject({
    authorization: header,
    sessionToken: header,
    timestamp: header,
  }),
  uploadFields: z.strictObject({ securityToken: header, metaFileId: header }),
  storeFileID: z.string().min(1),
  gatewayHeaders: z.strictObject({ upstreamStatus: header }),
});

const signingKey = z
  .strictObject({
    secret: z.string().min(32, 'must have at least 32 characters').optional(),
    file: z.string().min(1).optional().describe('File that holds the secret.'),
  })
  .refine(
    ({ secret, file }) => (secret === undefined) !== (file === undefined),
    'needs exactly one of `secret` and `file`',
  );

/** Everything that a configuration may say. */
export const configSchema = z
  .strictObject({
    $schema: z.string().optional(),
    listen: listenSchema.prefault({}),
    admin: adminSchema.prefault({}),
    publicUrl: z
      .url({ protocol: /^https?$/, error: 'must be an http or https address' })
      .optional()
      .describe(
        'Address that callers reach this server by; upload targets and links begin with it. Default: what a request was sent to, where that is an address of this machine.',
      ),
    log: z
      .strictObject({
        level: z.enum(LEVELS).default('info'),
        calls: z
          .boolean()
          .default(false)
          .describe('A line for each call. Else only for those that fail with 500 or more.'),
      })
      .prefault({})
      .describe('Lines of JSON on standard output.'),
    wireProfile: z
      .union([z.string().min(1), wireProfileSchema])
      .optional()
      .describe('JSON file with the names that this deployment uses on the wire.'),
    cors: z
      .strictObject({
        origins: z
          .union([z.literal('*'), z.array(z.string().min(1))])
          .default('*')
          .describe('Origins whose pages may read the answers.'),
        credentials: z
          .boolean()
          .default(false)
          .describe('Whether listed origins may send cookies. Refused together with *.'),
      })
      .prefault({})
      .refine(
        ({ origins, credentials }) => !credentials || origins !== '*',
        'needs a list of `origins` with `credentials`: with * every site may call',
      ),
    signature: z
      .strictObject({
        service: z.string().min(1).default(signature.service),
        storageSigningHost: z.string().min(1).default(signature.storageSigningHost),
      })
      .prefault({})
      .describe('Constants of signatures, which clients must know too.'),
    limits: limitsSchema.prefault({}),
    store: storeSchema.prefault({ driver: 'file' }),
    dns: z
      .strictObject({
        servers: z
          .array(z.string().min(1))
          .optional()
          .describe('Resolvers, such as 10.96.0.10. Default: those of the machine.'),
        allow: z
          .array(z.string().min(1))
          .optional()
          .describe(
            'The only ranges of addresses to call, such as 10.0.0.0/8. Default: all but loopback, link-local, metadata and multicast addresses.',
          ),
      })
      .prefault({})
      .describe('How services with `dns` are found.'),
    keys: z
      .array(signingKey)
      .min(1, 'needs at least one key')
      .describe(
        'Secrets that sign upload grants and links. The first one signs, all are accepted: so they rotate. All processes need the same.',
      ),
    environments: z
      .record(environmentNameSchema, environmentSchema)
      .refine((all) => Object.keys(all).length > 0, 'needs at least one environment')
      .describe('Environments by name.'),
  })
  .describe('Configuration of berth-server.');

/** A configuration as it is written: defaults may be left out, files are named. */
export type ConfigInput = z.input<typeof configSchema>;

/** A configuration with its defaults. */
export type ParsedConfig = z.output<typeof configSchema>;

/**
 * The JSON Schema (draft 2020-12) of what a configuration file may hold. A text that refers to an environment
 * variable (`${NAME}`) has the length of its value only when it is read, so it is good here.
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
