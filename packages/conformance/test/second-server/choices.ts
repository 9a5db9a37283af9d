import { randomBytes } from 'node:crypto';

/** What a deployment may do in several ways, all of which follow the contract. */
export interface Choices {
  /** Where storage requests put their fields. */
  requestForm: 'top' | 'data';
  /** Whether storage responses have the envelope. The wire profile has to say `flat`. */
  envelope: 'wrapped' | 'flat';
  /** Whether copy paths must have a leading `/`, or must not. */
  copyPaths: 'absolute' | 'relative';
  /**
   * How the storage API and the upload target reject calls: with a 4xx status, with status 200 and a `code`
   * or an `Error` element, or some in one way and some in the other.
   */
  failures: 'status' | 'ok' | 'some';
  /** Whose `fileID` the entry of a successful copy has. */
  copyFileId: 'absent' | 'source' | 'destination';
  /**
   * Whether SHOULD rules are followed. If so, `body.requestId` and `body.message` are present, and unknown
   * request fields are ignored; otherwise those two are absent, and unknown fields are rejected.
   */
  should: 'kept' | 'dropped';
  /** Whether gateway calls may have a `multipart/form-data` body, in addition to `application/json`. */
  forms: 'taken' | 'refused';
}

/** Differs from the reference server as much as the contract allows. */
export const farthest: Choices = {
  requestForm: 'data',
  envelope: 'wrapped',
  copyPaths: 'relative',
  failures: 'some',
  copyFileId: 'absent',
  should: 'dropped',
  forms: 'taken',
};

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
