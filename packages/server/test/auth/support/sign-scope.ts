import { createSigner, sha256, toStringToSign } from '../../../src/auth/tc3.ts';

export interface Scope {
  readonly id: string;
  readonly secret: string;
  readonly date: string;
  readonly timestamp: number;
  readonly signedHeaders: string;
}

/** The fields of a signature whose parts need not go together, though the signature fits them. */
export function signScope(
  { id, secret, date, timestamp, signedHeaders }: Scope,
  canonicalRequest: string,
): string {
  const scope = { date, service: 'svc' };
  const text = toStringToSign('TC3-HMAC-SHA256', timestamp, scope, sha256(canonicalRequest));
  const hex = createSigner(secret)(scope, text).toString('hex');
  return `TC3-HMAC-SHA256 Credential=${id}/${date}/svc/tc3_request, SignedHeaders=${signedHeaders}, Signature=${hex}`;
}
