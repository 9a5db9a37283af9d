import { createHash } from 'node:crypto';
import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import { toStorageCanonicalRequest } from '../auth/tc3/to-canonical-request.ts';

const { signature } = defaults;

/**
 * Lines for a POSIX shell with `openssl` that make the variables `auth` and `ts`: the headers of storage
 * calls (D17). A signature is good for five minutes, so it cannot be printed ready-made.
 */
export function toSigningShell({ id, secret }: { id: string; secret: string }): string {
  const { algorithm, service, storageSigningHost, storageContentType } = signature;
  const { storageVersion, storageSignedHeaders } = signature;
  const canonical = toStorageCanonicalRequest(storageSigningHost, storageContentType);
  const hash = createHash('sha256').update(canonical).digest('hex');
  const key = Buffer.from(`TC3${secret}`).toString('hex');
  return [
    'ts=$(date +%s); day=$(date -u +%Y-%m-%d)',
    `hmac() { printf '%s' "$2" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$1" | sed 's/^.* //'; }`,
    `key=$(hmac "$(hmac "$(hmac ${key} "$day")" ${service})" tc3_request)`,
    `sig=$(hmac "$key" "$(printf '${algorithm}\\n%s\\n%s/${service}/tc3_request\\n${hash}' "$ts" "$day")")`,
    `auth="${storageVersion} ${algorithm} Credential=${id}/$day/${service}/tc3_request, SignedHeaders=${storageSignedHeaders}, Signature=$sig"`,
  ].join('\n');
}
