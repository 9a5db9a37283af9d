import { z } from 'zod';
import { serviceNameSchema, serviceSchema } from './service-schema.ts';

const secret = z
  .string()
  .min(1)
  .optional()
  .describe('The secret itself: best a reference to an environment variable.');

const secretFile = z
  .string()
  .min(1)
  .optional()
  .describe('File that holds the secret; white space around it is cut.');

const credential = z
  .strictObject({
    id: z.string().min(1).describe('Id of the key pair, as signatures give it.'),
    secret,
    secretFile,
    token: z
      .string()
      .min(1)
      .optional()
      .describe('Session token that temporary credentials come with.'),
    expires: z.iso
      .datetime({ offset: true, error: 'must be a time such as 2027-01-31T12:00:00Z' })
      .optional()
      .describe('When temporary credentials end.'),
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
      .describe('Public keys of the issuer: a file, an https address, or the key set itself.'),
    issuer: z.string().min(1).optional().describe('`iss` that tokens must carry. Default: any.'),
  })
  .describe('Bearer tokens: RS256, ES256 or EdDSA, whose `aud` is the environment.');

const quota = z
  .strictObject({
    callsPerSecond: z
      .number()
      .positive()
      .describe('Calls a second in the long run. Each process counts its own.'),
    burst: z
      .int()
      .min(1)
      .optional()
      .describe('Calls that may come at once. Default: those of one second.'),
  })
  .describe('Beyond it calls are refused with EXCEED_RATELIMIT.');

/** Name of an environment: the first label of the gateway's host name (D12). */
export const environmentNameSchema = z
  .string()
  .regex(
    /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/,
    'must be one label of a host name: small letters, digits and hyphens',
  );

/** An environment: who may call, what is hosted, where its files belong. */
export const environmentSchema = z.strictObject({
  bucket: z
    .string()
    .regex(/^[\w][\w.-]*$/, 'must be letters, digits, underscores, dots and hyphens')
    .default('files')
    .describe('Name in file ids, cloud://<environment>.<bucket>/<path>.'),
  tokens: tokens.optional(),
  credentials: z.array(credential).default([]).describe('Key pairs that signatures are made with.'),
  quota: quota.optional(),
  services: z
    .record(serviceNameSchema, serviceSchema)
    .default({})
    .describe('Hosted services by name.'),
});
