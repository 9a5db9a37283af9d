import { z } from 'zod';

const port = z.int().min(0).max(65_535);
const seconds = z.number().min(0);

const tls = z
  .strictObject({
    cert: z.string().min(1).describe('PEM file with the certificate and its intermediates.'),
    key: z.string().min(1).describe('PEM file with the private key.'),
  })
  .describe('Serves HTTPS. A reload reads both files again.');

export const listenSchema = z
  .strictObject({
    host: z
      .string()
      .min(1)
      .default('127.0.0.1')
      .describe('Address to listen on; 0.0.0.0 exposes the server to the network.'),
    port: port.default(4020).describe('Port to listen on; 0 picks a free port.'),
    tls: tls.optional(),
    reusePort: z
      .boolean()
      .default(false)
      .describe(
        'Whether several processes on this machine may listen on the same port. The kernel spreads connections among them.',
      ),
    trustProxy: z
      .boolean()
      .default(false)
      .describe(
        'Whether to trust X-Forwarded-* request headers. Enable this only behind a proxy that sets them itself: otherwise callers can forge their address.',
      ),
    headersSeconds: seconds
      .default(15)
      .describe('How long, in seconds, a client may take to send the request headers.'),
    stalledSeconds: seconds
      .default(30)
      .describe(
        'A client that sends less than 1 KiB of a body within this many seconds, or reads nothing of what is sent to it, is disconnected; 0 disables the check. Idle streams are not affected.',
      ),
    keepAliveSeconds: seconds
      .default(65)
      .describe(
        'How long, in seconds, idle connections are kept open. Must exceed the timeout of a load balancer in front, or calls are lost.',
      ),
    maxConnections: z
      .int()
      .min(1)
      .optional()
      .describe(
        "Maximum number of connections; further ones are closed immediately. Default: the system's limit.",
      ),
    maxHeaderBytes: z
      .int()
      .min(1024)
      .default(16_384)
      .describe(
        'Maximum size of the request line and headers, in bytes; larger requests get a 431. Also applies to the response headers of services; larger ones fail with BAD_GATEWAY.',
      ),
    shutdownDelaySeconds: seconds
      .default(0)
      .describe(
        'How long, in seconds, calls are still accepted after SIGTERM or SIGINT, while /readyz already fails. Set it to the time that a load balancer needs to notice.',
      ),
    shutdownSeconds: seconds
      .default(30)
      .describe(
        'How long, in seconds, calls, streams and WebSockets may continue after shutdownDelaySeconds.',
      ),
  })
  .describe('Where callers are served.');

export const redisSchema = z
  .strictObject({
    url: z
      .url({
        protocol: /^rediss?$/,
        hostname: /./,
        error: 'must be a URL such as redis://redis.example.com:6379, or rediss:// for TLS',
      })
      .refine((url) => !/%(?![\da-f]{2})/i.test(url), 'must be percent-encoded: write % as %25')
      .describe('URL of a Redis or Valkey server; rediss:// uses TLS.'),
    password: z.string().min(1).optional().describe('Password, if it is not in the URL.'),
    prefix: z
      .string()
      .default('berth:')
      .describe('Prefix of every key, so that the Redis server can be shared.'),
  })
  .describe(
    'Shares quotas, revocations and locks among several processes. While Redis is unavailable, calls that need a revocation or a lock fail with 503, and each process counts quotas by itself.',
  );

const admin = z
  .strictObject({
    host: z
      .string()
      .min(1)
      .default('127.0.0.1')
      .describe(
        'Address to listen on. Metrics require no credentials, so do not expose it to the network.',
      ),
    port: port.default(4021).describe('Port to listen on; 0 picks a free port.'),
    hosts: z
      .array(z.string().min(1))
      .default([])
      .describe('Host names to accept in requests, in addition to localhost and IP addresses.'),
  })
  .describe('Listener for /healthz, /readyz and /metrics; false switches it off.');

export const adminSchema = z.union([admin, z.literal(false)]);
