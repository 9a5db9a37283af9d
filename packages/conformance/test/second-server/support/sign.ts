import { createHash, createHmac } from 'node:crypto';
import type { KeyPair } from '../gateway/verify-signature.ts';

export interface Signable {
  method: string;
  /** Path and query as sent. */
  target: string;
  /** Headers to sign, with names in lower case, in order. */
  headers: Record<string, string>;
  body?: string;
}

/** Creates a version 3 `Authorization` signature, written from D16 only for the tests. */
export function sign(
  { method, target, headers, body = '' }: Signable,
  { secretId, secretKey, service }: KeyPair,
  timestamp = Math.floor(Date.now() / 1000),
  comma = ', ',
): string {
  const hash = (text: string) => createHash('sha256').update(text).digest('hex');
  const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text);
  const date = new Date(timestamp * 1000).toISOString().slice(0, 10);
  const [path, query = ''] = target.split('?');
  const list = Object.keys(headers).join(';');
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
  const canonical = [method, path, query, lines.join(''), list, hash(body)].join('\n');
  const scope = `${date}/${service}/tc3_request`;
  const text = `TC3-HMAC-SHA256\n${timestamp}\n${scope}\n${hash(canonical)}`;
  const dateKey = hmac(`TC3${secretKey}`, date).digest();
  const key = hmac(hmac(dateKey, service).digest(), 'tc3_request').digest();
  const signature = hmac(key, text).digest('hex');
  return [
    `TC3-HMAC-SHA256 Credential=${secretId}/${scope}`,
    `SignedHeaders=${list}`,
    `Signature=${signature}`,
    `Timestamp=${timestamp}`,
  ].join(comma);
}
