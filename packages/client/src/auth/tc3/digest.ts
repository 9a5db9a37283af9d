const HMAC = { name: 'HMAC', hash: 'SHA-256' };

export type Bytes = Uint8Array<ArrayBuffer>;

/** SHA-256 of a text in UTF-8, or of bytes, in hexadecimal digits. */
export async function sha256(content: string | Bytes): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest(HMAC.hash, toBytes(content))));
}

/** HMAC-SHA256 of a text in UTF-8. */
export async function hmac(key: string | Bytes, text: string): Promise<Bytes> {
  const { subtle } = crypto;
  const usable = await subtle.importKey('raw', toBytes(key), HMAC, false, ['sign']);
  return new Uint8Array(await subtle.sign(HMAC.name, usable, toBytes(text)));
}

/** Bytes as hexadecimal digits in lower case. */
export function toHex(bytes: Bytes): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function toBytes(content: string | Bytes): Bytes {
  return typeof content === 'string' ? new TextEncoder().encode(content) : content;
}
