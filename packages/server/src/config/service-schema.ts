import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import { z } from 'zod';

const STATES = ['ready', 'not-ready', 'forbidden', 'overdue'] as const;

const { pattern } = gateway.components.schemas.ServiceName;

/** Name of a hosted service, as the contract allows it in a path. */
export const serviceNameSchema = z
  .string()
  .regex(
    new RegExp(pattern),
    'must be a service name: a letter, then up to 58 letters, digits, underscores or hyphens, then a letter or digit',
  );

const origin = z
  .string()
  .regex(
    /^https?:\/\/(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?\/?$/i,
    'must be an address without a path, such as http://127.0.0.1:9000',
  );

const version = z.strictObject({
  name: z.string().min(1).describe('Name of the version, for logs.'),
  weight: z
    .number()
    .min(0)
    .default(100)
    .describe('Share of the calls in relation to the other versions; 0 gets none.'),
  endpoints: z.array(origin).default([]).describe('Where its instances listen.'),
  hasResource: z
    .boolean()
    .default(true)
    .describe('False answers SERVICE_RESOURCE_NOT_FOUND: what the version ran on is gone.'),
});

const dns = z.strictObject({
  type: z
    .enum(['SRV', 'A'])
    .describe(
      'SRV records carry ports and weights; A records need `port`, as headless services do.',
    ),
  name: z
    .string()
    .min(1)
    .describe('Name to ask for, such as _http._tcp.orders.default.svc.cluster.local.'),
  port: z.int().min(1).max(65_535).optional().describe('Port of all addresses of A records.'),
  scheme: z.enum(['http', 'https']).default('http'),
});

/** A hosted service and where it runs. */
export const serviceSchema = z
  .strictObject({
    state: z
      .enum(STATES)
      .default('ready')
      .describe('Anything but `ready` refuses every call with the code of that state.'),
    callers: z
      .array(z.string().min(1))
      .optional()
      .describe(
        'Who may call it: `sub` of tokens, ids of key pairs. Default: every caller of the environment.',
      ),
    maxCalls: z
      .int()
      .min(1)
      .default(1024)
      .describe(
        'Calls, streams and WebSockets that the endpoints of a version have under way at once; more are refused with EXCEED_RATELIMIT.',
      ),
    versions: z.array(version).optional().describe('Versions with fixed endpoints.'),
    endpoints: z.array(origin).optional().describe('Short for one version with these endpoints.'),
    dns: dns.optional().describe('Endpoints are what the DNS says.'),
  })
  .refine(
    ({ versions, endpoints, dns }) =>
      [versions, endpoints, dns].filter((place) => place !== undefined).length === 1,
    'needs exactly one of `endpoints`, `versions` and `dns`',
  )
  .refine(
    ({ dns }) => dns === undefined || dns.type === 'SRV' || dns.port !== undefined,
    'needs `dns.port`, because A records carry none',
  );
