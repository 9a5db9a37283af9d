import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { FILES_PATH } from './paths.ts';

/** A key shorter than half of the hash's output weakens it (RFC 2104, section 3). */
const MIN_KEY_BYTES = 16;

/** Where the links of a server begin. */
const LINK_PREFIX = `${FILES_PATH}/`;

/** What a signature is for. One for the one purpose never fits the other. */
type Purpose = 'berth upload grant' | 'berth download link';

/** Signs lists of values, so that nothing has to be kept to know them again. */
interface Signer {
  /** HMAC-SHA256 in hex, by the first key. */
  sign(values: readonly string[]): string;
  /** Whether one of the keys signed these values; in constant time for each key. */
  verify(values: readonly string[], signature: string): boolean;
}

/**
 * Makes the signer of one purpose.
 *
 * @param keys secrets: the first signs and all verify, so that keys can be rotated without a gap
 * @throws TypeError without a key, or for one that could be guessed
 */
export function createSigner(purpose: Purpose, keys: readonly Buffer[]): Signer {
  const [first] = keys;
  if (first === undefined || keys.some(({ length }) => length < MIN_KEY_BYTES)) {
    throw new TypeError(
      `keys: give at least one secret, and at least ${MIN_KEY_BYTES} bytes each.`,
    );
  }
  // As JSON, no two lists have the same text, whatever characters the values have.
  const digest = (key: Buffer, values: readonly string[]) =>
    createHmac('sha256', key).update(JSON.stringify([purpose, ...values]));
  return {
    sign: (values) => digest(first, values).digest('hex'),
    verify(values, signature) {
      if (!/^[0-9a-f]{64}$/.test(signature)) return false;
      const given = Buffer.from(signature, 'hex');
      return keys.some((key) => timingSafeEqual(digest(key, values).digest(), given));
    },
  };
}

/** What an upload is granted for. */
interface GrantedUpload {
  readonly env: string;
  readonly bucket: string;
  /** Path of the file, without a leading slash. */
  readonly path: string;
  /** Id of the caller who asked for the grant. */
  readonly caller: string;
}

/** What the form of one upload must carry (D30). */
interface Grant {
  readonly token: string;
  readonly authorization: string;
  readonly storeFileID: string;
}

type GrantVerdict = GrantedUpload | 'expired' | 'mismatch';

/** Issues and checks upload grants. A grant proves itself by its signature, so none is kept. */
export interface Grants {
  /** @param seconds lifetime */
  issue(upload: GrantedUpload, seconds: number): Grant;
  /** @param path what the form names, without a leading slash */
  check(path: string, grant: Grant): GrantVerdict;
}

/**
 * What a token says, in this order; the time is in milliseconds since the epoch, and the nonce makes
 * each token another.
 */
type Claims = readonly [
  env: string,
  bucket: string,
  caller: string,
  expires: number,
  nonce: string,
];

/**
 * Makes the grants of a server; servers with the same keys know each other's.
 *
 * D27: "grant valid 900 s for that one key".
 *
 * @param keys the first signs, all verify
 * @param now the clock, in milliseconds since the epoch
 */
export function createGrants(keys: readonly Buffer[], now: () => number): Grants {
  const signer = createSigner('berth upload grant', keys);
  return {
    issue({ env, bucket, path, caller }, seconds) {
      const expires = now() + seconds * 1000;
      const claims: Claims = [env, bucket, caller, expires, toRandom()];
      const token = Buffer.from(JSON.stringify(claims)).toString('base64url');
      const storeFileID = toRandom();
      return { token, storeFileID, authorization: signer.sign([token, storeFileID, path]) };
    },
    check(path, { token, authorization, storeFileID }) {
      if (!signer.verify([token, storeFileID, path], authorization)) return 'mismatch';
      // Only a token that this very code wrote comes so far.
      const claims = JSON.parse(Buffer.from(token, 'base64url').toString()) as Claims;
      const [env, bucket, caller, expires] = claims;
      return now() < expires ? { env, bucket, path, caller } : 'expired';
    },
  };
}

function toRandom(): string {
  return randomBytes(18).toString('base64url');
}

/** What a link leads to. */
interface LinkedFile {
  readonly env: string;
  readonly bucket: string;
  /** Path of the file, without a leading slash. */
  readonly path: string;
}

type LinkVerdict =
  | (LinkedFile & {
      /** Whole seconds that the link still works for, at least 1. */
      readonly seconds: number;
    })
  | 'expired'
  | 'mismatch';

/** Issues and checks download links. A link proves itself by its signature, so none is kept. */
export interface Links {
  /** Path and query of a link that works for so many seconds. */
  issue(file: LinkedFile, seconds: number): string;
  /** @param target path and query of a request, as sent */
  check(target: string): LinkVerdict;
}

/**
 * Path of a file on a server, which leads nowhere without a signature.
 *
 * D23: "`tempFileURL` is percent-encoded by ours".
 */
export function toLinkPath({ env, bucket, path }: LinkedFile): string {
  return LINK_PREFIX + [env, bucket, ...path.split('/')].map(encodeURIComponent).join('/');
}

/**
 * Makes the links of a server; servers with the same keys know each other's.
 *
 * D30: "a link stops working after its `maxAge`".
 *
 * @param keys the first signs, all verify
 * @param now the clock, in milliseconds since the epoch
 */
export function createLinks(keys: readonly Buffer[], now: () => number): Links {
  const signer = createSigner('berth download link', keys);
  return {
    issue(file, seconds) {
      const expires = String(now() + seconds * 1000);
      const sign = signer.sign([file.env, file.bucket, file.path, expires]);
      return `${toLinkPath(file)}?expires=${expires}&sign=${sign}`;
    },
    check(target) {
      const [rawPath = '', query = ''] = target.split('?', 2);
      const search = new URLSearchParams(query);
      const expires = search.get('expires') ?? '';
      const file = toLinkedFile(rawPath);
      const sign = search.get('sign') ?? '';
      if (file === undefined || !signer.verify([file.env, file.bucket, file.path, expires], sign)) {
        return 'mismatch';
      }
      const rest = Number(expires) - now();
      return rest > 0 ? { ...file, seconds: Math.ceil(rest / 1000) } : 'expired';
    },
  };
}

function toLinkedFile(rawPath: string): LinkedFile | undefined {
  if (!rawPath.startsWith(LINK_PREFIX)) return undefined;
  try {
    const [env = '', bucket = '', ...path] = rawPath
      .slice(LINK_PREFIX.length)
      .split('/')
      .map(decodeURIComponent);
    return { env, bucket, path: path.join('/') };
  } catch {
    return undefined;
  }
}
