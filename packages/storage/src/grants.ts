import { splitTarget } from '@berth/server-stubs/contract';

/** Path prefix of download links. */
export const FILES_PATH = '/files';

/** Signs lists of values, so that grants and links need not be stored. `createSigner` in `./node` creates one. */
export interface Signer {
  /** Returns a signature in lowercase hex, which is different for each list. */
  sign(values: readonly string[]): string | Promise<string>;
  /** Checks in constant time whether the signature belongs to these values. */
  verify(values: readonly string[], signature: string): boolean | Promise<boolean>;
}

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

interface LinkOptions {
  readonly bucketOf: (env: string) => string | undefined;
  /** The server's only environment. Links then contain neither the environment nor its bucket. */
  readonly onlyEnv?: string | undefined;
  /** Text to append to the query of each link, such as `session=a`. */
  readonly query?: string | undefined;
}

/** Links are percent-encoded (D23). Servers with the same keys accept each other's links. */
export function createLinks(
  signer: Signer,
  now: () => number,
  { bucketOf, onlyEnv, query }: LinkOptions,
) {
  const toPath = ({ env, bucket, path }: LinkedFile) => {
    const place = onlyEnv === undefined ? [env, bucket] : [];
    const segments = [...place, ...path.split('/')].map(encodeURIComponent);
    return `${FILES_PATH}/${segments.join('/')}`;
  };
  // Another optional value needs a value for "none": in a list with two, a link with only one of them would be
  // signed like a link with only the other.
  const toValues = ({ env, bucket, path }: LinkedFile, expires: string, caller?: string) => [
    ...[LINK, env, bucket, path, expires],
    ...(caller === undefined ? [] : [caller]),
  ];
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
      const by = caller === undefined ? '' : `&by=${encodeURIComponent(caller)}`;
      const suffix = query === undefined ? '' : `&${query}`;
      return `${toPath(file)}?expires=${expires}${by}&sign=${sign}${suffix}`;
    },
    /** @param target path and query of a request, as sent */
    async check(target: string): Promise<CheckedLink> {
      const { path, query: sent } = splitTarget(target);
      const search = new URLSearchParams(sent);
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
