import { splitTarget } from '@berth/server-stubs/contract';
import { FILES_PATH, type Signer } from './options.ts';

/**
 * The first signed value, so that a grant is never valid as a link. Links must survive an upgrade of the server: if the
 * signed values (`toValues`) change, outstanding links, which may be valid for a week, become invalid.
 */
const LINK = 'berth download link';

export interface LinkedFile {
  readonly env: string;
  readonly bucket: string;
  /** Path of the file, without a leading slash. */
  readonly path: string;
}

export type CheckedLink =
  | (LinkedFile & {
      /** Signature, which identifies the link. */
      readonly id: string;
      /** ID of the caller who requested the link. */
      readonly caller: string;
    })
  | 'expired'
  | 'mismatch';

/** Links are percent-encoded (D23). Servers with the same keys accept each other's links. */
export function createLinks(signer: Signer, now: () => number, linkQuery: string | undefined) {
  const toPath = ({ env, bucket, path }: LinkedFile) => {
    const segments = [env, bucket, ...path.split('/')].map(encodeURIComponent);
    return `${FILES_PATH}/${segments.join('/')}`;
  };
  const toValues = ({ env, bucket, path }: LinkedFile, expires: string, caller: string) => [
    LINK,
    env,
    bucket,
    path,
    expires,
    toCallerQuery(caller),
  ];
  const toFile = (rawPath: string): LinkedFile | undefined => {
    const prefix = `${FILES_PATH}/`;
    if (!rawPath.startsWith(prefix)) return undefined;
    try {
      const segments = rawPath.slice(prefix.length).split('/').map(decodeURIComponent);
      const [env = '', bucket = '', ...path] = segments;
      return { env, bucket, path: path.join('/') };
    } catch {
      return undefined;
    }
  };
  return {
    toPath,
    /** @param caller ID of the caller who requests the link, for the link to contain */
    async issue(file: LinkedFile, seconds: number, caller: string): Promise<string> {
      const expires = String(now() + seconds * 1000);
      const sign = await signer.sign(toValues(file, expires, caller));
      const suffix = linkQuery === undefined ? '' : `&${linkQuery}`;
      return `${toPath(file)}?expires=${expires}${toCallerQuery(caller)}&sign=${sign}${suffix}`;
    },
    /** @param target path and query of a request, as sent */
    async check(target: string): Promise<CheckedLink> {
      const { path, expires, id, caller } = parseLink(target);
      const file = toFile(path);
      if (file === undefined) return 'mismatch';
      if (!(await signer.verify(toValues(file, expires, caller), id))) return 'mismatch';
      return Number(expires) > now() ? { ...file, id, caller } : 'expired';
    },
  };
}

/**
 * Returns the parts of a link, without checking them.
 * @param target path and query of the link, as sent
 */
export function parseLink(target: string) {
  const { path, query } = splitTarget(target);
  const search = new URLSearchParams(query);
  return {
    path,
    /** Time in milliseconds since the epoch. */
    expires: search.get('expires') ?? '',
    /** Signature, which identifies the link. */
    id: search.get('sign') ?? '',
    /** ID of the caller who requested the link. */
    caller: search.get('by') ?? '',
  };
}

/** The part of a link's query that names the caller, which is also one of the signed values. */
function toCallerQuery(caller: string): string {
  return `&by=${encodeURIComponent(caller)}`;
}
