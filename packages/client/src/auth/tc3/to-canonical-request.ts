import type { Bytes } from './digest.ts';

/** What a signature covers (D16). */
export interface Tc3Request {
  readonly method: string;
  /** As sent, nothing decoded. */
  readonly path: string;
  /** As sent, without the question mark; empty where there is none. */
  readonly query: string;
  /** The signed ones, by names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Bytes;
}

/** The canonical request as text, and the list of its headers as in `SignedHeaders`. */
export function toCanonicalRequest(
  { method, path, query, headers }: Omit<Tc3Request, 'body'>,
  bodyHash: string,
) {
  const names = Object.keys(headers).sort();
  const lines = names.map((name) => `${name}:${toSignedValue(name, headers[name] as string)}\n`);
  const signedHeaders = names.join(';');
  const text = [method, path, query, lines.join(''), signedHeaders, bodyHash].join('\n');
  return { text, signedHeaders };
}

/**
 * "Values trimmed and lower-cased, content-type kept as sent, `multipart/form-data` with its boundary
 * cut" (D16).
 */
function toSignedValue(name: string, value: string): string {
  const text = value.trim();
  return name === 'content-type'
    ? text.replace(/^(multipart\/form-data)\s*;.*/i, '$1')
    : text.toLowerCase();
}
