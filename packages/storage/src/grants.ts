import type { LinkedFile } from './links.ts';
import type { Signer } from './options.ts';

/**
 * The first signed value, so that a link is never valid as a grant. Grants must survive an upgrade of the server: if the
 * signed values or `GrantContent` change, outstanding grants become invalid.
 */
const GRANT = 'berth upload grant';

export interface GrantedUpload extends LinkedFile {
  /** ID of the caller who requested the grant. */
  readonly caller: string;
}

/** What an upload form must contain (D30). */
export interface Grant {
  readonly token: string;
  readonly authorization: string;
  readonly storeFileID: string;
}

/** The content of a token. The time is in milliseconds since the epoch. */
type GrantContent = [env: string, bucket: string, caller: string, expires: number, nonce: string];

/** Each grant is valid for a single key. Servers with the same keys accept each other's grants. */
export function createGrants(signer: Signer, now: () => number) {
  return {
    async issue({ env, bucket, path, caller }: GrantedUpload, seconds: number): Promise<Grant> {
      const expires = now() + seconds * 1000;
      // The nonce makes each token unique.
      const content: GrantContent = [env, bucket, caller, expires, crypto.randomUUID()];
      const token = toBase64Url(JSON.stringify(content));
      const storeFileID = crypto.randomUUID();
      const authorization = await signer.sign([GRANT, token, storeFileID, path]);
      return { token, storeFileID, authorization };
    },
    /** @param path the path in the form, without a leading slash */
    async check(
      path: string,
      { token, authorization, storeFileID }: Grant,
    ): Promise<GrantedUpload | 'expired' | 'mismatch'> {
      if (!(await signer.verify([GRANT, token, storeFileID, path], authorization))) {
        return 'mismatch';
      }
      // The signature proves that `issue` created the token.
      const [env, bucket, caller, expires] = JSON.parse(fromBase64Url(token)) as GrantContent;
      return expires > now() ? { env, bucket, path, caller } : 'expired';
    },
  };
}

function toBase64Url(text: string): string {
  const bytes = String.fromCharCode(...new TextEncoder().encode(text));
  return btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function fromBase64Url(text: string): string {
  const bytes = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return new TextDecoder().decode(Uint8Array.from(bytes, (char) => char.charCodeAt(0)));
}
