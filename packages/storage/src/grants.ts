import { splitTarget } from '@berth/server-stubs/contract';
import type { Signer, StorageOptions } from './options.ts';

/** Path prefix of download links. */
export const FILES_PATH = '/files';

/** The first signed value is the purpose of the signature, so that a grant is never valid as a link. */
const GRANT = 'berth upload grant';
const LINK = 'berth download link';

export interface LinkedFile {
  readonly env: string;
  readonly bucket: string;
  /** Path of the file, without a leading slash. */
  readonly path: string;
}

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
type Claims = readonly [
  env: string,
  bucket: string,
  caller: string,
  expires: number,
  nonce: string,
];

/** Each grant is valid for a single key. Servers with the same keys accept each other's grants. */
export function createGrants(signer: Signer, now: () => number) {
  return {
    async issue({ env, bucket, path, caller }: GrantedUpload, seconds: number): Promise<Grant> {
      // The nonce makes each token unique.
      const claims: Claims = [env, bucket, caller, now() + seconds * 1000, crypto.randomUUID()];
      const token = toBase64Url(JSON.stringify(claims));
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
      const [env, bucket, caller, expires] = JSON.parse(fromBase64Url(token)) as Claims;
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

export type CheckedLink =
  | (LinkedFile & {
      /** Signature, which identifies the link. */
      readonly id: string;
      /** ID of the caller who requested the link, if it contains one. */
      readonly caller: string | undefined;
    })
  | 'expired'
  | 'mismatch';

/** Links are percent-encoded (D23). Servers with the same keys accept each other's links. */
export function createLinks(
  signer: Signer,
  now: () => number,
  { bucketOf, onlyEnv, linkQuery }: Pick<StorageOptions, 'bucketOf' | 'onlyEnv' | 'linkQuery'>,
) {
  const toPath = ({ env, bucket, path }: LinkedFile) => {
    const prefix = onlyEnv === undefined ? [env, bucket] : [];
    const segments = [...prefix, ...path.split('/')].map(encodeURIComponent);
    return `${FILES_PATH}/${segments.join('/')}`;
  };
  const toValues = (file: LinkedFile, expires: string, caller: string | undefined) => {
    const { env, bucket, path } = file;
    return [LINK, env, bucket, path, expires, toCallerQuery(caller)];
  };
  const toFile = (rawPath: string): LinkedFile | undefined => {
    if (!rawPath.startsWith(`${FILES_PATH}/`)) return undefined;
    try {
      const segments = rawPath
        .slice(FILES_PATH.length + 1)
        .split('/')
        .map(decodeURIComponent);
      if (onlyEnv !== undefined) {
        return { env: onlyEnv, bucket: bucketOf(onlyEnv) ?? '', path: segments.join('/') };
      }
      const [env = '', bucket = '', ...path] = segments;
      return { env, bucket, path: path.join('/') };
    } catch {
      return undefined;
    }
  };
  return {
    toPath,
    /** @param caller ID for the link to contain. Default: none */
    async issue(file: LinkedFile, seconds: number, caller?: string): Promise<string> {
      const expires = String(now() + seconds * 1000);
      const sign = await signer.sign(toValues(file, expires, caller));
      const suffix = linkQuery === undefined ? '' : `&${linkQuery}`;
      return `${toPath(file)}?expires=${expires}${toCallerQuery(caller)}&sign=${sign}${suffix}`;
    },
    /** @param target path and query of a request, as sent */
    async check(target: string): Promise<CheckedLink> {
      const { path, query } = splitTarget(target);
      const search = new URLSearchParams(query);
      const expires = search.get('expires') ?? '';
      const id = search.get('sign') ?? '';
      const caller = search.get('by') ?? undefined;
      const file = toFile(path);
      if (file === undefined) return 'mismatch';
      if (!(await signer.verify(toValues(file, expires, caller), id))) return 'mismatch';
      return Number(expires) > now() ? { ...file, id, caller } : 'expired';
    },
  };
}

/** The part of a link's query that names the caller. It is signed, too: without a caller, it differs from an empty ID. */
function toCallerQuery(caller: string | undefined): string {
  return caller === undefined ? '' : `&by=${encodeURIComponent(caller)}`;
}
