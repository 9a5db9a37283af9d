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
    headersSeconds: z
      .number()
      .positive()
      .optional()
      .describe(
        'Maximum time until the response headers, after which calls fail with SERVICE_TIMEOUT. Default: limits.gatewayHeadersSeconds.',
      ),
    versions: z.array(version).optional().describe('Versions with fixed endpoints.'),
    endpoints: z
      .array(origin)
      .optional()
      .describe('Short form for a single version with these endpoints.'),
  })
  .refine(
    ({ versions, endpoints }) => (versions === undefined) !== (endpoints === undefined),
    'needs exactly one of `endpoints` and `versions`',
  );

/** A shorter secret of a key pair can be guessed from a signature that it made. */
export const MIN_SECRET_LENGTH = 16;

const secret = z
  .string()
  .min(MIN_SECRET_LENGTH, `must have at least ${MIN_SECRET_LENGTH} characters`)
  .optional()
  .describe(
    'The secret itself, at least 16 characters. Use a reference to an environment variable.',
  );

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
    calls: z
      .int()
      .min(1)
      .describe(
        'Maximum number of calls in a window. Without `redis`, each process counts its own calls.',
      ),
    seconds: z.int().min(1).default(1).describe('Length of a window.'),
  })
  .describe('Calls that exceed it fail with EXCEED_RATELIMIT.');

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
  services: z
    .record(serviceNameSchema, serviceSchema)
    .default({})
    .describe('Hosted services by name.'),
});
