import { FILES_PATH } from '../paths.ts';
import { createSigner } from './create-signer.ts';

/** Where the links of a server begin. */
const LINK_PREFIX = `${FILES_PATH}/`;

/** What a link leads to. */
export interface LinkedFile {
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
