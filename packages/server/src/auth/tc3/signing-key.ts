import { createHmac, hash } from 'node:crypto';
import { TERMINATOR } from './parse-signature.ts';
import type { Tc3Scope } from './to-string-to-sign.ts';

/** Signs a text with the key that a secret has for a date and a service. */
export type Signer = (scope: Tc3Scope, text: string) => Buffer;

/** The key of a day is kept: it takes three times as long to make as a signature does. */
export function createSigner(secret: string): Signer {
  let known: Tc3Scope & { readonly key: Buffer } = { date: '', service: '', key: Buffer.alloc(0) };
  return ({ date, service }, text) => {
    if (known.date !== date || known.service !== service) {
      known = { date, service, key: deriveKey(secret, date, service) };
    }
    return hmac(known.key, text);
  };
}

function deriveKey(secret: string, date: string, service: string): Buffer {
  return [date, service, TERMINATOR].reduce(hmac, Buffer.from(`TC3${secret}`));
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** SHA-256 in hex. */
export function sha256(content: string | Uint8Array): string {
  return hash('sha256', content);
}
