import { randomBytes } from 'node:crypto';

/** The contract specifies none of these (D13, D18, D22, D24, D25, D26, D27). */
export const limits = {
  gatewayBodyBytes: 2 * 1024 * 1024,
  signatureSeconds: 1800,
  storageClockSeconds: 7200,
  storageBodyBytes: 256 * 1024,
  batchItems: 20,
  pathCharacters: 400,
  linkSeconds: 120,
  longestLinkSeconds: 86_400,
  grantSeconds: 240,
  fileBytes: 8 * 1024 * 1024,
};

/** The contract's neutral names (D1). */
export const names = {
  authorization: 'X-Svc-Authorization',
  sessionToken: 'X-Svc-SessionToken',
  timestamp: 'X-Svc-TimeStamp',
  securityToken: 'x-store-security-token',
  metaFileId: 'x-store-meta-fileid',
};

/** Request IDs that are not UUIDs: `2nd-0`, `2nd-1`, … `2nd-z`, `2nd-10`, … */
export function makeRequestIds(): () => string {
  let count = 0;
  return () => `2nd-${(count++).toString(36)}`;
}

/** An opaque ID: `makeOpaque('f_')` is like `f_9c41e07ab2d85f63`. */
export function makeOpaque(prefix: string): string {
  return prefix + randomBytes(8).toString('hex');
}
