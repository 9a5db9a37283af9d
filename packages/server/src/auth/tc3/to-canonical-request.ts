/** What a signature covers, as text. */
export interface Tc3Request {
  readonly method: string;
  /** As sent, nothing decoded. */
  readonly path: string;
  /** As sent, without the question mark; empty where there is none. */
  readonly query: string;
  /** The signed ones, sorted by name; values as `toSignedValue` gives them. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** All of the canonical request (D16) but its last line, the SHA-256 of the body in hex. */
export function toCanonicalHead({ method, path, query, headers }: Tc3Request): string {
  const lines = headers.map(([name, value]) => `${name}:${value}\n`).join('');
  const list = headers.map(([name]) => name).join(';');
  return `${method}\n${path}\n${query}\n${lines}\n${list}\n`;
}

/** SHA-256 of nothing. */
export const EMPTY_HASH = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/**
 * The canonical request of every storage call (D17): a constant text, whatever the real URL and body.
 * The slashes before the host are part of it.
 */
export function toStorageCanonicalRequest(signingHost: string, contentType: string): string {
  const headers = [['content-type', contentType] as const, ['host', signingHost] as const];
  return (
    toCanonicalHead({ method: 'POST', path: `//${signingHost}/`, query: '', headers }) + EMPTY_HASH
  );
}
