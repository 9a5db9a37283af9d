import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { valuesOf } from './http.ts';
import { limits } from './limits.ts';

export interface KeyPair {
  secretId: string;
  secretKey: string;
  /** The service in the credential scope. */
  service: string;
}

/** Returns whether a version 3 `Authorization` signature matches the call (D16). */
export function verifySignature(
  request: IncomingMessage,
  value: string,
  body: Buffer,
  pair: KeyPair,
): boolean {
  const signed = parseSignature(value);
  if (signed?.secretId !== pair.secretId || signed.service !== pair.service) return false;
  const seconds = Number(signed.timestamp);
  if (Math.abs(Date.now() / 1000 - seconds) > limits.signatureSeconds) return false;
  if (new Date(seconds * 1000).toISOString().slice(0, 10) !== signed.date) return false;
  // As sent; a form's also "with its boundary cut".
  const sent = request.headers['content-type'] ?? '';
  const isForm = /^multipart\/form-data\s*;/i.test(sent);
  return [sent, ...(isForm ? [sent.slice(0, sent.indexOf(';'))] : [])].some((contentType) => {
    const canonical = canonicalRequest(request, signed, body, contentType);
    if (canonical === undefined) return false;
    return timingSafeEqual(Buffer.from(signed.signature), sign(canonical, signed, pair));
  });
}

function canonicalRequest(
  { method, url = '', rawHeaders }: IncomingMessage,
  { signedHeaders }: Signature,
  body: Buffer,
  contentType: string,
): string | undefined {
  let headers = '';
  for (const name of signedHeaders) {
    const values = valuesOf(rawHeaders, name);
    if (values.length === 0) return undefined;
    const text = name === 'content-type' ? contentType.trim() : lower(values.join(',').trim());
    headers += `${name}:${text}\n`;
  }
  const mark = url.indexOf('?');
  const [path, query] = mark < 0 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
  const hash = createHash('sha256').update(body).digest('hex');
  return [method, path, query, headers, signedHeaders.join(';'), hash].join('\n');
}

/** ASCII letters only: `node:http` represents each byte of a header as one character. */
function lower(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function sign(canonical: string, { timestamp, date }: Signature, pair: KeyPair): Buffer {
  const hash = createHash('sha256').update(canonical, 'latin1').digest('hex');
  const scope = `${date}/${pair.service}/tc3_request`;
  const text = `TC3-HMAC-SHA256\n${timestamp}\n${scope}\n${hash}`;
  const steps = [date, pair.service, 'tc3_request', text];
  const key: Buffer = Buffer.from(`TC3${pair.secretKey}`);
  const mac = steps.reduce((from, step) => createHmac('sha256', from).update(step).digest(), key);
  return Buffer.from(mac.toString('hex'));
}

type Signature = NonNullable<ReturnType<typeof parseSignature>>;

/**
 * Parses `TC3-HMAC-SHA256 Credential=<id>/<UTC date>/<service>/tc3_request, SignedHeaders=<a;b>,
 * Signature=<hex>, Timestamp=<unix seconds>[, Token=<token>]` (D16), with or without the spaces. Returns
 * `undefined` if a part is missing. The names of the signed headers are in lower case and sorted.
 */
function parseSignature(value: string) {
  const [, list] = /^TC3-HMAC-SHA256\s+(.*)$/.exec(value) ?? [];
  if (list === undefined) return undefined;
  const parts = new Map<string, string>();
  for (const part of list.split(',')) {
    const [, name = '', text = ''] = /^\s*(\w+)=(.*?)\s*$/.exec(part) ?? [];
    if (parts.has(name)) return undefined;
    parts.set(name, text);
  }
  const scope = /^(.+)\/(\d{4}-\d\d-\d\d)\/([^/]+)\/tc3_request$/;
  const [, secretId, date, service] = scope.exec(parts.get('Credential') ?? '') ?? [];
  const signature = parts.get('Signature') ?? '';
  const timestamp = parts.get('Timestamp') ?? '';
  const names = parts.get('SignedHeaders')?.toLowerCase().split(';').sort() ?? [];
  if (!secretId || !date || !service || !names.includes('host')) return undefined;
  if (!/^[0-9a-f]{64}$/.test(signature) || !/^\d{1,12}$/.test(timestamp)) return undefined;
  return { secretId, date, service, signedHeaders: names, signature, timestamp };
}
