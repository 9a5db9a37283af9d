import { createHash, createHmac } from 'node:crypto';

/** A gateway call to sign. */
interface UnsignedCall {
  readonly method: string;
  /** Path and query, as they will be sent. */
  readonly target: string;
  /** By lowercase name, `host` included. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** In seconds. */
  readonly timestamp: number;
  readonly service?: string;
}

/** Returns the `Authorization` header of a gateway call (D16), with no code of the package. */
export function sign(
  { id, secret, token }: { readonly id: string; readonly secret: string; readonly token?: string },
  { method, target, headers, body = '', timestamp, service = 'svc' }: UnsignedCall,
): string {
  const [path, ...rest] = target.split('?');
  const query = rest.join('?');
  const names = Object.keys(headers).sort();
  const lines = names.map((name) => {
    const value = headers[name] ?? '';
    return `${name}:${name === 'content-type' ? value : value.toLowerCase()}\n`;
  });
  const list = names.join(';');
  const canonical = [method, path, query, lines.join(''), list, sha256(body)].join('\n');
  const date = new Date(timestamp * 1000).toISOString().slice(0, 10);
  const scope = `${date}/${service}/tc3_request`;
  const key = scope.split('/').reduce(hmac, Buffer.from(`TC3${secret}`));
  const text = `TC3-HMAC-SHA256\n${timestamp}\n${scope}\n${sha256(canonical)}`;
  const signature = hmac(key, text).toString('hex');
  const end = token === undefined ? '' : `, Token=${token}`;
  return `TC3-HMAC-SHA256 Credential=${id}/${scope}, SignedHeaders=${list}, Signature=${signature}, Timestamp=${timestamp}${end}`;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
