import { createHash, createHmac } from 'node:crypto';
import type { StorageCredentials } from '@berth/client';
import defaults from '@berth/spec/defaults.json' with { type: 'json' };

/** The key pair that the bench signs with. */
export const credential = { id: 'bench', secret: 'secret of the key pair of the bench' };

/** Credentials of a storage call made now: the constant text of D17, signed. */
export function signStorageCall(): StorageCredentials {
  const { algorithm, service, storageVersion, storageSigningHost, storageSignedHeaders } =
    defaults.signature;
  const { storageContentType } = defaults.signature;
  const timestamp = String(Math.floor(Date.now() / 1000));
  const scope = [
    new Date(Number(timestamp) * 1000).toISOString().slice(0, 10),
    service,
    'tc3_request',
  ];
  const canonical = `POST\n//${storageSigningHost}/\n\ncontent-type:${storageContentType}\nhost:${storageSigningHost}\n\n${storageSignedHeaders}\n${sha256('')}`;
  const text = [algorithm, timestamp, scope.join('/'), sha256(canonical)].join('\n');
  let key: string | Buffer = `TC3${credential.secret}`;
  for (const step of scope) key = createHmac('sha256', key).update(step).digest();
  const signature = createHmac('sha256', key).update(text).digest('hex');
  const authorization = `${storageVersion} ${algorithm} Credential=${credential.id}/${scope.join('/')}, SignedHeaders=${storageSignedHeaders}, Signature=${signature}`;
  return { authorization, timestamp };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
