const HMAC = { name: 'HMAC', hash: 'SHA-256' };

export type Bytes = Uint8Array<ArrayBuffer>;

/** SHA-256 of a text in UTF-8, or of bytes. */
export async function sha256(content: string | Bytes): Promise<Bytes> {
  return new Uint8Array(await subtle().digest(HMAC.hash, toBytes(content)));
}

/** HMAC-SHA256 of a text in UTF-8. */
export async function hmac(key: Bytes, text: string): Promise<Bytes> {
  const usable = await subtle().importKey('raw', key, HMAC, false, ['sign']);
  return new Uint8Array(await subtle().sign(HMAC.name, usable, toBytes(text)));
}

/** Bytes as hexadecimal digits in lower case. */
export function toHex(bytes: Bytes): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function toBytes(content: string | Bytes): Bytes {
  return typeof content === 'string' ? new TextEncoder().encode(content) : content;
}

function subtle(): typeof crypto.subtle {
  // Web Cryptography API, section 10: `subtle` is there in secure contexts only.
  if (!globalThis.crypto?.subtle) {
    throw new TypeError(
      'Signing needs WebCrypto, which browsers have on https and localhost only.',
    );
  }
  return crypto.subtle;
}
