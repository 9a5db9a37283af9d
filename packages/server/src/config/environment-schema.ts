import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import { z } from 'zod';

const { pattern } = gateway.components.schemas.ServiceName;

const serviceNameSchema = z
  .string()
  .regex(
    new RegExp(pattern),
    'must be a service name: a letter, then up to 58 letters, digits, underscores or hyphens, then a letter or digit',
  );

const origin = z
  .string()
  .regex(
    /^https?:\/\/(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?\/?$/i,
    'must be a URL without a path, such as http://127.0.0.1:9000',
  );

const version = z.strictObject({
  name: z.string().min(1).describe('Version name, used in logs.'),
  weight: z
    .number()
    .min(0)
    .default(100)
    .describe('Weight relative to the other versions; a version with 0 gets no calls.'),
  endpoints: z.array(origin).default([]).describe('URLs of the instances.'),
  hasResource: z
    .boolean()
    .default(true)
    .describe(
      "If false, calls fail with SERVICE_RESOURCE_NOT_FOUND, because the version's resources no longer exist.",
    ),
});

const dns = z.strictObject({
  type: z
    .enum(['SRV', 'A'])
    .describe(
      'SRV records contain ports and weights; A records, such as those of headless services, need `port`.',
    ),
  name: z
    .string()
    .min(1)
    .describe(
      'Name to resolve, such as _http._tcp.orders.default.svc.cluster.local. Without labels such as _http._tcp, it is also the host name in calls, and in certificates.',
    ),
  port: z.int().min(1).max(65_535).optional().describe('Port for all addresses in A records.'),
  scheme: z.enum(['http', 'https']).default('http'),
});

const seconds = z.number().min(0);

const perEndpoint = z
  .strictObject({
    maxCalls: z
      .int()
      .min(1)
      .describe('Maximum number of concurrent calls, streams and WebSockets to each endpoint.'),
    maxQueue: z
      .int()
      .min(0)
      .default(100)
      .describe('Maximum number of calls that wait while every endpoint has its maximum.'),
    queueSeconds: seconds.default(1).describe('How long a call may wait, in seconds.'),
  })
  .describe(
    'Limits the calls to each endpoint. Calls that find the queue full, or wait too long, fail with EXCEED_RATELIMIT.',
  );

const timeouts = z
  .strictObject({
    connectSeconds: z
      .number()
      .positive()
      .default(5)
      .describe('Maximum time to connect to an endpoint; then another one is tried.'),
    headersSeconds: z
      .number()
      .positive()
      .optional()
      .describe(
        'Maximum time until the response headers, after which calls fail with SERVICE_TIMEOUT. Default: limits.gatewayHeadersSeconds.',
      ),
    idleSeconds: seconds
      .default(0)
      .describe(
        'Maximum pause in a response, after which it is cut off; 0 allows any pause. Does not apply to WebSockets.',
      ),
  })
  .describe('Timeouts of calls, in seconds.');

const health = z
  .strictObject({
    path: z
      .string()
      .regex(/^\/[!-~]*$/, 'must be a path that begins with a slash, such as /healthz')
      .describe('Path to request; a status below 400 is healthy.'),
    everySeconds: z.number().min(0.1).default(5).describe('Interval and timeout of the checks.'),
  })
  .describe(
    'Checks each endpoint while the service is called, and a minute longer. Five unhealthy responses, or three without a response, take it out of rotation; a healthy one brings it back.',
  );

const serviceSchema = z
  .strictObject({
    state: z
      .enum(['ready', 'not-ready', 'forbidden', 'overdue'])
      .default('ready')
      .describe('In any state except `ready`, calls fail with the code for that state.'),
    callers: z
      .array(z.string().min(1))
      .optional()
      .describe(
        'Callers that may use the service: the `sub` of tokens, or IDs of key pairs. Default: every caller in the environment.',
      ),
    maxCalls: z
      .int()
      .min(1)
      .default(1024)
      .describe(
        'Maximum number of concurrent calls, streams and WebSockets to the endpoints of a version; further ones fail with EXCEED_RATELIMIT.',
      ),
    perEndpoint: perEndpoint.optional(),
    timeouts: timeouts.optional(),
    health: health.optional(),
    startSeconds: seconds
      .default(0)
      .describe(
        'How long, in seconds, a call waits for a service that is not ready, has no endpoints or refuses connections, before it fails with SERVICE_NOT_READY. Set it for services that scale to zero. 0 fails immediately.',
      ),
    versions: z.array(version).optional().describe('Versions with fixed endpoints.'),
    endpoints: z
      .array(origin)
      .optional()
      .describe('Short form for a single version with these endpoints.'),
    dns: dns.optional().describe('Resolves the endpoints with DNS.'),
  })
  .refine(
    ({ versions, endpoints, dns }) =>
      [versions, endpoints, dns].filter((place) => place !== undefined).length === 1,
    'needs exactly one of `endpoints`, `versions` and `dns`',
  )
  .refine(
    ({ dns }) => dns === undefined || dns.type === 'SRV' || dns.port !== undefined,
    'needs `dns.port`, because A records contain no port',
  );

const secret = z
  .string()
  .min(1)
  .optional()
  .describe('The secret itself. Use a reference to an environment variable.');

const secretFile = z
  .string()
  .min(1)
  .optional()
  .describe('File that contains the secret; surrounding whitespace is trimmed.');

const credential = z
  .strictObject({
    id: z.string().min(1).describe('ID of the key pair, as used in signatures.'),
    secret,
    secretFile,
    token: z.string().min(1).optional().describe('Session token of temporary credentials.'),
    expires: z.iso
      .datetime({ offset: true, error: 'must be a time such as 2027-01-31T12:00:00Z' })
      .optional()
      .describe('When the temporary credentials expire.'),
  })
  .refine(
    ({ secret, secretFile }) => (secret === undefined) !== (secretFile === undefined),
    'needs exactly one of `secret` and `secretFile`',
  );

const tokens = z
  .strictObject({
    jwks: z
      .union([
        z.string().min(1),
        z.strictObject({ keys: z.array(z.record(z.string(), z.unknown())) }),
      ])
      .describe("The issuer's public keys: a file, an https URL, or the key set itself."),
    issuer: z.string().min(1).optional().describe('Required `iss` claim of tokens. Default: any.'),
  })
  .describe('Bearer tokens: RS256, ES256 or EdDSA, with the environment as `aud`.');

const quota = z
  .strictObject({
    callsPerSecond: z
      .number()
      .positive()
      .describe(
        'Sustained rate in calls per second. Without `shared`, each process counts its own calls.',
      ),
    burst: z
      .int()
      .min(1)
      .optional()
      .describe("Number of calls allowed in a burst. Default: one second's worth."),
  })
  .describe('Calls that exceed it fail with EXCEED_RATELIMIT.');

const concurrency = z
  .strictObject({
    calls: z
      .int()
      .min(1)
      .describe(
        'Maximum number of calls, streams, WebSockets, uploads and downloads in progress. Each process counts its own.',
      ),
    perCaller: z
      .int()
      .min(1)
      .optional()
      .describe(
        'Maximum for one caller: the `sub` of tokens or the ID of a key pair, also for uploads with its grants; for downloads, the remote address. Default: half of `calls`.',
      ),
  })
  .describe(
    'Limits what is in progress at the same time. Calls that exceed it fail with EXCEED_RATELIMIT, uploads and downloads with SlowDown.',
  );

/** An environment's name, which is the first label of the gateway's host name (D12). */
export const environmentNameSchema = z
  .string()
  .regex(
    /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/,
    'must be a single host name label: lowercase letters, digits and hyphens',
  );

export const environmentSchema = z.strictObject({
  bucket: z
    .string()
    .regex(/^[\w][\w.-]*$/, 'must be letters, digits, underscores, dots and hyphens')
    .default('files')
    .describe('Bucket name in file IDs, cloud://<environment>.<bucket>/<path>.'),
  tokens: tokens.optional(),
  credentials: z.array(credential).default([]).describe('Key pairs that sign calls.'),
  quota: quota.optional(),
  concurrency: concurrency.optional(),
  services: z
    .record(serviceNameSchema, serviceSchema)
    .default({})
    .describe('Hosted services by name.'),
});
