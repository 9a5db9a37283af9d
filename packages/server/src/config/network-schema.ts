import { z } from 'zod';

const port = z.int().min(0).max(65_535);
const seconds = z.number().min(0);

const tls = z
  .strictObject({
    cert: z
      .string()
      .min(1)
      .describe('PEM file with the certificate and those between it and the root.'),
    key: z.string().min(1).describe('PEM file with the private key.'),
  })
  .describe('Serves HTTPS. Both files are read anew when they change.');

/** Where callers are served, and how long a connection may keep the server waiting. */
export const listenSchema = z
  .strictObject({
    host: z
      .string()
      .min(1)
      .default('127.0.0.1')
      .describe('Address to listen on; 0.0.0.0 opens it to the network.'),
    port: port.default(4020).describe('Port to listen on; 0 takes a free one.'),
    reusePort: z
      .boolean()
      .default(false)
      .describe(
        'Whether other processes may listen on the same port, and Linux divides the connections among them. Each needs an admin port of its own.',
      ),
    tls: tls.optional(),
    trustProxy: z
      .boolean()
      .default(false)
      .describe(
        'Whether X-Forwarded-* of a request are believed. Only behind a proxy that sets them itself: else callers choose their own address.',
      ),
    headersSeconds: seconds
      .default(15)
      .describe('Time that a client has for the headers of a request.'),
    slowBodySeconds: seconds
      .default(30)
      .describe(
        'A client that sends less than slowBodyBytes of a body in so long is cut off; 0 waits for ever.',
      ),
    slowBodyBytes: z.int().min(1).default(1024).describe('See slowBodySeconds.'),
    writeIdleSeconds: seconds
      .default(60)
      .describe(
        'A client that takes nothing of what waits for it in so long is cut off; 0 waits for ever. Silent streams, for which nothing waits, are not.',
      ),
    keepAliveSeconds: seconds
      .default(65)
      .describe(
        'How long an idle connection is kept. Longer than that of the load balancer before it, or calls are lost.',
      ),
    maxConnections: z
      .int()
      .min(1)
      .optional()
      .describe('More connections are closed at once. Default: as many as the system gives.'),
    maxHeaderBytes: z
      .int()
      .min(1024)
      .default(16_384)
      .describe('Largest head of a request; more is refused with 431.'),
    maxHeaders: z
      .int()
      .min(1)
      .default(200)
      .describe('Most headers of a request; more are refused with 431.'),
    shutdownSeconds: seconds
      .default(30)
      .describe(
        'How long calls and streams under way may go on after SIGTERM or SIGINT, and WebSockets beside them.',
      ),
  })
  .describe('Where callers are served.');

/** Where health and metrics are served. */
export const adminSchema = z
  .strictObject({
    host: z
      .string()
      .min(1)
      .default('127.0.0.1')
      .describe('Address to listen on. The metrics know no credentials: keep it off the network.'),
    port: port.default(4021).describe('Port to listen on; 0 takes a free one.'),
    hosts: z
      .array(z.string().min(1))
      .default([])
      .describe('Host names that requests may give, beside localhost and addresses.'),
  })
  .describe('Where /healthz, /readyz and /metrics are served.');
