export interface Signature {
  secretId: string;
  date: string;
  service: string;
  /** In lower case and sorted. */
  signedHeaders: string[];
  signature: string;
  timestamp: string;
}

/**
 * Reads `TC3-HMAC-SHA256 Credential=<id>/<UTC date>/<service>/tc3_request, SignedHeaders=<a;b>,
 * Signature=<hex>, Timestamp=<unix seconds>[, Token=<token>]` (D16), with or without the spaces.
 * Returns `undefined` where a part is missing.
 */
export function parseSignature(value: string): Signature | undefined {
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
