import { createHash, createHmac } from 'node:crypto';
import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import profile from '@berth/spec/wire-profiles/default.json' with { type: 'json' };

const { algorithm, service, storageVersion, storageSigningHost, ...signature } = defaults.signature;

/** Returns signed headers for a storage call made now (D17). */
export function signStorageHeaders({
  id,
  secret,
}: {
  id: string;
  secret: string;
}): Record<string, string> {
  const { authorization, sessionToken, timestamp } = profile.storageHeaders;
  const now = Math.floor(Date.now() / 1000);
  const date = new Date(now * 1000).toISOString().slice(0, 10);
  const scope = `${date}/${service}/tc3_request`;
  const canonical = [
    ...['POST', `//${storageSigningHost}/`, ''],
    `content-type:${signature.storageContentType}`,
    `host:${storageSigningHost}`,
    ...['', signature.storageSignedHeaders, sha256('')],
  ].join('\n');
  const text = [algorithm, now, scope, sha256(canonical)].join('\n');
  const key = [date, service, 'tc3_request'].reduce<Buffer>(hmac, Buffer.from(`TC3${secret}`));
  const value = `Credential=${id}/${scope}, SignedHeaders=${signature.storageSignedHeaders}, Signature=${hmac(key, text).toString('hex')}`;
  return {
    [authorization]: `${storageVersion} ${algorithm} ${value}`,
    [sessionToken]: '',
    [timestamp]: String(now),
  };
}

export function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}

export function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
