import { z } from 'zod';

const port = z.int().min(0).max(65_535);
const seconds = z.number().min(0);

const tls = z
  .strictObject({
    cert: z.string().min(1).describe('PEM file with the certificate and its intermediates.'),
    key: z.string().min(1).describe('PEM file with the private key.'),
  })
  .describe('Serves HTTPS. Both files are reloaded when they change.');

/** Where callers are served, and how long a connection may keep the server waiting. */
export const listenSchema = z
  .strictObject({
    host: z
      .string()
      .min(1)
      .default('127.0.0.1')
      .describe('Address to listen on; 0.0.0.0 opens it to the network.'),
    port: port.default(4020).describe('Port to listen on; 0 picks a free port.'),
    reusePort: z
      .boolean()
      .default(false)
      .describe(
        'Whether other processes may listen on the same port; Linux then distributes the connections. Each process needs its own admin port.',
      ),
    tls: tls.optional(),
    trustProxy: z
      .boolean()
      .default(false)
      .describe(
        'Whether to trust X-Forwarded-* of requests. Only behind a proxy that sets them itself: otherwise callers can choose their own address.',
      ),
    headersSeconds: seconds.default(15).describe('Time that a client has to send request headers.'),
    slowBodySeconds: seconds
      .default(30)
      .describe(
        'A client that sends less than slowBodyBytes of a body in this time is disconnected; 0 disables the check.',
      ),
    slowBodyBytes: z.int().min(1).default(1024).describe('See slowBodySeconds.'),
    writeIdleSeconds: seconds
      .default(60)
      .describe(
        'A client that reads none of the pending data in this time is disconnected; 0 disables the check. Idle streams without pending data are not affected.',
      ),
    keepAliveSeconds: seconds
      .default(65)
      .describe(
        'How long idle connections are kept. Must exceed that of the load balancer in front, or calls are lost.',
      ),
    maxConnections: z
      .int()
      .min(1)
      .optional()
      .describe('Further connections are closed immediately. Default: the limit of the system.'),
    maxHeaderBytes: z
      .int()
      .min(1024)
      .default(16_384)
      .describe('Maximum size of the request line and headers; larger requests get 431.'),
    maxHeaders: z
      .int()
      .min(1)
      .default(200)
      .describe('Maximum number of headers; requests with more get 431.'),
    shutdownSeconds: seconds
      .default(30)
      .describe('How long calls, streams and WebSockets may continue after SIGTERM or SIGINT.'),
  })
  .describe('Where callers are served.');

/** Where health and metrics are served. */
export const adminSchema = z
  .strictObject({
    host: z
      .string()
      .min(1)
      .default('127.0.0.1')
      .describe('Address to listen on. The metrics need no credentials: keep it off the network.'),
    port: port.default(4021).describe('Port to listen on; 0 picks a free port.'),
    hosts: z
      .array(z.string().min(1))
      .default([])
      .describe('Host names to accept in requests, besides localhost and addresses.'),
  })
  .describe('Listener of /healthz, /readyz and /metrics.');
