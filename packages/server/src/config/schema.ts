import { isLoopback, isOrigin } from '@berth/server-stubs/contract';
import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import profileSchema from '@berth/spec/wire-profile.schema.json' with { type: 'json' };
import { z } from 'zod';
import { findKeyProblem } from './key-set.ts';

const text = z.string().min(1);
const flag = z.boolean();
const port = z.int().min(0).max(65_535);
const count = z.int().min(1);
/** At most 24 days: Node fires a longer timer immediately. */
const seconds = z.number().min(0).max(2_073_600);
/** For Node, 0 ms means no limit. */
const limitedSeconds = seconds.min(0.001);

const listen = z
  .strictObject({
    host: text.default('127.0.0.1').describe('Address; 0.0.0.0 exposes the server to the network.'),
    port: port.default(4020).describe('Port; 0 picks a free one.'),
    tls: z
      .strictObject({
        cert: text.describe('PEM file with the certificate and its intermediates.'),
        key: text.describe('PEM file with the private key.'),
      })
      .optional()
      .describe('Serves HTTPS. A reload reads both files again.'),
    reusePort: flag.default(false).describe('Whether several processes share the port.'),
    trustProxy: flag
      .default(false)
      .describe('Trusts X-Forwarded-*. Enable only behind a proxy that sets it itself.'),
    headersSeconds: limitedSeconds
      .default(15)
      .describe('Seconds that a client may take to send the request headers.'),
    stalledSeconds: seconds
      .default(30)
      .describe('Seconds a caller has to send 1 KiB or read part of a response; 0: no limit.'),
    keepAliveSeconds: limitedSeconds
      .default(65)
      .describe("Seconds to keep idle connections; must exceed the load balancer's timeout."),
    shutdownDelaySeconds: seconds
      .default(0)
      .describe('Seconds to keep accepting calls after SIGTERM, while /readyz fails.'),
    shutdownSeconds: seconds
      .default(30)
      .describe('Seconds that calls may continue after shutdownDelaySeconds.'),
  })
  .describe('Where and how the server listens for calls.');

const admin = z
  .strictObject({
    host: text.default('127.0.0.1').describe('Address; anyone who reaches it sees the metrics.'),
    port: port.default(4021).describe('Port; 0 picks a free one.'),
  })
  .describe('Listener for /healthz, /readyz and /metrics; false switches it off.');

const log = z
  .strictObject({
    level: z
      .enum(['fatal', 'error', 'warn', 'info', 'silent'])
      .default('info')
      .describe('Minimum level of a line.'),
    calls: flag.default(false).describe('Log every call, not only failures (500 and above).'),
  })
  .describe('The log: JSON lines on standard output.');

const ORIGIN_MESSAGE = 'must be an origin such as https://app.example.com';

const cors = z
  .strictObject({
    origins: z
      .union([z.literal('*'), z.array(z.string().refine(isOrigin, ORIGIN_MESSAGE))])
      .default('*')
      .describe('Origins whose pages may read responses.'),
    credentials: flag
      .default(false)
      .describe('Whether calls from these origins may send cookies. Requires a list of origins.'),
  })
  .refine(
    ({ origins, credentials }) => !credentials || origins !== '*',
    'needs a list of `origins` with `credentials`: with *, any site could make calls with cookies',
  );

const signature = z
  .strictObject({
    service: text.default(defaults.signature.service).describe('Service in the credential scope.'),
    storageSigningHost: text
      .default(defaults.signature.storageSigningHost)
      .describe('Host in the signature of a storage call.'),
  })
  .describe('Constants used in signatures. Clients must use the same ones.');

/** A limit of the contract that an operator may change. All others apply to clients. */
function limit(name: keyof typeof defaults.limits, type = count) {
  const { value, description, unit } = defaults.limits[name];
  return type.default(value).describe(`${description} Unit: ${unit}.`);
}

/** Maximum of `grantSeconds`. A revoked grant is remembered for this long, since any server may have issued it. */
export const MAX_GRANT_SECONDS = 604_800;

const limits = z
  .strictObject({
    gatewayBodyBytes: limit('gatewayBodyBytes'),
    gatewayHeadersSeconds: limit('gatewayHeadersSeconds'),
    clockWindowSeconds: limit('clockWindowSeconds'),
    storageBodyBytes: limit('storageBodyBytes'),
    batchItems: limit('batchItems'),
    linkSeconds: limit('linkSeconds'),
    linkMaxSeconds: limit('linkMaxSeconds'),
    grantSeconds: limit('grantSeconds', count.max(MAX_GRANT_SECONDS)),
    uploadBytes: limit('uploadBytes'),
  })
  .refine(({ linkSeconds, linkMaxSeconds }) => linkSeconds <= linkMaxSeconds, {
    path: ['linkSeconds'],
    message: 'must not exceed `linkMaxSeconds`',
  })
  .describe('Limits of this deployment.');

const disk = z
  .strictObject({
    driver: z.literal('file'),
    root: text
      .default('./berth-data/files')
      .describe('Folder for the files. Sharing it between processes requires `redis`.'),
  })
  .describe('Stores files in a folder on this machine.');

const s3 = z
  .strictObject({
    driver: z.literal('s3'),
    bucket: text.describe('Bucket in the object store; it must exist.'),
    region: text.default('us-east-1').describe('Region of the bucket.'),
    endpoint: z
      .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
      .optional()
      .describe('URL of the store. Default: AWS.'),
    prefix: z
      .string()
      // It counts toward the 1,024 bytes of an object's key.
      .refine((prefix) => Buffer.byteLength(prefix) <= 512, 'must be at most 512 bytes long')
      .optional()
      .describe('Prefix of every key. Unfinished uploads below it are removed after a week.'),
    accessKeyId: text.optional().describe('Default: the credentials that the AWS SDK finds.'),
    secretAccessKey: text.optional().describe('Use a reference to an environment variable.'),
  })
  .refine(
    (store) => (store.accessKeyId === undefined) === (store.secretAccessKey === undefined),
    'needs both `accessKeyId` and `secretAccessKey`, or neither',
  )
  .describe('Stores files as objects in an S3-compatible store, at most 5 GiB each.');

const redis = z
  .strictObject({
    url: z
      .url({
        protocol: /^rediss?$/,
        hostname: /./,
        error: 'must be a URL such as redis://redis.example.com:6379, or rediss:// for TLS',
      })
      .refine((url) => !/%(?![\da-f]{2})/i.test(url), 'must be percent-encoded: write % as %25')
      .describe('URL of a Redis or Valkey server; rediss:// uses TLS.'),
    password: text.optional().describe('Password, if it is not in the URL.'),
    prefix: z.string().default('berth:').describe('Prefix of every key, for a shared server.'),
  })
  .describe('Shares quotas, revocations and locks among several processes.');

/** A shorter one could be guessed from what it signed. */
export const MIN_LENGTHS = { key: 32, credential: 16 };

/** A secret in the configuration or in a file. */
function secretOf(minLength: number) {
  const hint = `must have at least ${minLength} characters`;
  return {
    secret: z.string().min(minLength, hint).optional().describe(`The secret. It ${hint}.`),
    secretFile: text.optional().describe('File with the secret; whitespace around it is removed.'),
  };
}

export interface Secret {
  readonly secret?: string | undefined;
  readonly secretFile?: string | undefined;
}

const hasOneSecret = (value: Secret) =>
  (value.secret === undefined) !== (value.secretFile === undefined);
const SECRET_MESSAGE = 'needs exactly one of `secret` and `secretFile`';

const tokens = z
  .strictObject({
    jwks: z
      .union([
        text
          .refine(
            (name) => !isUrl(name) || isSecure(name),
            'must use https: otherwise, anyone who can change the response could forge tokens',
          )
          // `fetch` refuses such a URL, with an error that quotes it.
          .refine((name) => !hasCredentials(name), 'must not have a user name or password'),
        z
          .looseObject({ keys: z.array(z.record(z.string(), z.unknown())) })
          .superRefine((keys, context) => {
            const message = findKeyProblem(keys);
            if (message !== undefined) context.addIssue({ code: 'custom', message });
          }),
      ])
      .describe("The issuer's public keys: a file, an https URL, or the key set itself."),
    issuer: text.optional().describe('Required `iss` claim of tokens. Default: any.'),
  })
  .describe('Bearer tokens: RS256, ES256 or EdDSA, with the environment as `aud`.');

const credential = z
  .strictObject({
    id: z
      .string()
      .regex(
        /^[!-+\--.0-~]{1,256}$/,
        'must be 1 to 256 visible ASCII characters other than slashes and commas',
      )
      .describe('ID of the key pair, as used in signatures.'),
    ...secretOf(MIN_LENGTHS.credential),
    token: z
      .string()
      .regex(/^[!-+\--~]+$/, 'must be ASCII without commas and spaces')
      .optional()
      .describe('Session token of temporary credentials.'),
  })
  .refine(hasOneSecret, SECRET_MESSAGE);

const quota = z
  .strictObject({
    calls: count.describe('Maximum number of calls in a window.'),
    seconds: count.default(1).describe('Length of a window.'),
  })
  .describe('Excess calls fail with EXCEED_RATELIMIT. With `redis`, processes count together.');

const endpoints = z.array(
  z
    .string()
    .refine(isEndpoint, 'must be a URL without a path, such as http://127.0.0.1:9000')
    .transform((url) => new URL(url).origin),
);

const version = z.strictObject({
  name: text.describe('Name of the version, for the log of failed calls.'),
  weight: z.number().min(0).default(100).describe('Share of the calls; 0 gets none.'),
  endpoints: endpoints.default([]).describe('URLs of the instances.'),
});

const service = z
  .strictObject({
    state: z
      .enum(['ready', 'not-ready', 'resource-missing', 'forbidden', 'overdue'])
      .default('ready')
      .describe('In any state except `ready`, calls fail with the code for that state.'),
    callers: z
      .array(text)
      .optional()
      .describe('Who may call it: `sub` claims of tokens, or IDs of key pairs. Default: all.'),
    maxCalls: count
      .default(1024)
      .describe("Maximum concurrent calls to a version's endpoints, by any service."),
    headersSeconds: limitedSeconds
      .optional()
      .describe('Time limit for the response headers. Default: `limits.gatewayHeadersSeconds`.'),
    endpoints: endpoints.optional().describe('URLs of the instances of the only version.'),
    versions: z.array(version).optional().describe('Versions with their endpoints.'),
  })
  .refine(
    ({ versions, endpoints }) => (versions === undefined) !== (endpoints === undefined),
    'needs exactly one of `endpoints` and `versions`',
  );

/** D12: the name of an environment is the first label of the gateway's host name. */
const ENVIRONMENT_NAME = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/;
const HOST_LABEL_MESSAGE = 'must be a host name label: lowercase letters, digits and hyphens';

const SERVICE_NAME = new RegExp(gateway.components.schemas.ServiceName.pattern);
const SERVICE_NAME_MESSAGE = `must be a service name (${SERVICE_NAME.source})`;

const environment = z.strictObject({
  bucket: z
    .string()
    .regex(/^\w[\w.-]*$/, 'must be letters, digits, underscores, dots and hyphens')
    .default('files')
    .describe('Bucket in file IDs, cloud://<environment>.<bucket>/<path>.'),
  tokens: tokens.optional(),
  credentials: z
    .array(credential)
    .refine(
      (pairs) => new Set(pairs.map(({ id }) => id)).size === pairs.length,
      'must not list an `id` twice',
    )
    .default([])
    .describe('Key pairs that sign calls.'),
  quota: quota.optional(),
  services: z
    .record(z.string().regex(SERVICE_NAME, SERVICE_NAME_MESSAGE), service)
    .default({})
    .describe('Hosted services by name.'),
});

const { $schema: _, ...profileJsonSchema } = profileSchema;

/** The names and forms of a deployment (D1). `@berth/spec` describes them, and checks them in `readFiles`. */
const wireProfile = z.looseObject({}).meta(profileJsonSchema as Record<string, unknown>);

/** Every setting of the server, with its type, default and description. */
export const configSchema = z
  .strictObject({
    $schema: z.string().optional(),
    listen: listen.prefault({}),
    admin: z.union([admin, z.literal(false)]).prefault({}),
    publicUrl: z
      .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
      .refine((url) => !/[?#]/.test(url), 'must not have a query or a fragment')
      .transform((url) => url.replace(/(?<!\/)\/+$/, ''))
      .optional()
      .describe('Base URL of upload targets and links. Default: the address that a call used.'),
    log: log.prefault({}),
    wireProfile: z
      .union([text, wireProfile])
      .optional()
      .describe('JSON file with the wire profile of this deployment.'),
    cors: cors.prefault({}),
    signature: signature.prefault({}),
    limits: limits.prefault({}),
    store: z
      .discriminatedUnion('driver', [disk, s3])
      .prefault({ driver: 'file' })
      .describe('Where files are stored.'),
    redis: redis.optional(),
    keys: z
      .array(z.strictObject(secretOf(MIN_LENGTHS.key)).refine(hasOneSecret, SECRET_MESSAGE))
      .min(1, 'needs at least one key')
      .describe('Secrets that sign grants and links: the first one signs, all are accepted.'),
    environments: z
      .record(z.string().regex(ENVIRONMENT_NAME, HOST_LABEL_MESSAGE), environment)
      .refine((all) => Object.keys(all).length > 0, 'needs at least one environment')
      .describe('Environments by name.'),
  })
  .describe('Configuration of berth-server.');

/** A configuration as written: defaults may be omitted, and files are referred to by name. */
export type ConfigInput = z.input<typeof configSchema>;

/** A configuration with its defaults filled in. */
export type ParsedConfig = z.output<typeof configSchema>;

/** Whether a setting that can be a file name is a URL. */
export function isUrl(name: string): boolean {
  return /^https?:/i.test(name);
}

function isSecure(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.protocol === 'https:' || isLoopback(url.hostname));
}

function hasCredentials(text: string): boolean {
  const { username = '', password = '' } = URL.parse(text) ?? {};
  return username + password !== '';
}

/** Whether it is `http:` or `https:` with a host and optionally a port. */
function isEndpoint(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && isUrl(url.href) && url.href === `${url.origin}/`;
}
