import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The contract specifies none of these (D13, D18, D22, D25, D27). */
export const limits = {
  bodyBytes: 2 * 1024 * 1024,
  fileBytes: 8 * 1024 * 1024,
  signatureSeconds: 1800,
  storageClockSeconds: 7200,
  batchItems: 20,
  linkSeconds: 120,
  grantSeconds: 240,
};

/** The contract's neutral names (D1). */
export const names = {
  authorization: 'X-Svc-Authorization',
  sessionToken: 'X-Svc-SessionToken',
  timestamp: 'X-Svc-TimeStamp',
  securityToken: 'x-store-security-token',
  metaFileId: 'x-store-meta-fileid',
};

export class Refusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string) {
    super(`The second server rejects this call: ${code}.`);
    this.status = status;
    this.code = code;
  }
}

/** An opaque ID: `makeOpaque('f_')` is like `f_9c41e07ab2d85f63`. */
export const makeOpaque = (prefix: string): string => prefix + randomBytes(8).toString('hex');

/** Reads the complete body, so that the caller gets the refusal. Rejects if it disconnects before the end. */
export async function readBody(call: IncomingMessage, max: number, refusal: Refusal) {
  const body = Buffer.concat(await call.toArray());
  if (body.length > max) throw refusal;
  return body;
}
