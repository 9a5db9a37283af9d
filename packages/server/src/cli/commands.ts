import { parseLink, type SignedUse } from '@berth/storage';
import { loadConfig } from '../config/config.ts';
import { MAX_GRANT_SECONDS } from '../config/schema.ts';
import { connectRedis } from '../redis.ts';
import { fsck as checkFiles } from '../store/disk/fsck.ts';
import { mintToken, readDevelopmentKeys, type TokenRequest } from './development.ts';
import { Failure } from './failure.ts';

export async function fsck(root: string, options: { readonly repair?: boolean }): Promise<void> {
  const { files, bytes, problems } = await checkFiles(root, {
    ...options,
    onWait: () => process.stderr.write('Waiting to see whether a server has exited.\n'),
    onProblem: ({ kind, path, detail }) => process.stdout.write(`${kind}: ${path}: ${detail}\n`),
  }).catch((error: Error) => {
    const { code, path } = (error.cause ?? {}) as NodeJS.ErrnoException;
    const isMissing = code === 'ENOENT' || code === 'ENOTDIR';
    if (isMissing) throw new Failure(`${root} is not the folder of a store: pass store.root.`);
    throw path === undefined ? error : new Failure(`${error.message} Check ${path}.`);
  });
  process.stdout.write(`Files: ${files}, bytes: ${bytes}, problems: ${problems}.\n`);
  if (problems === 0 || options.repair) return;
  throw new Failure(`${root} has damaged or foreign files: run again with --repair.`, 1);
}

export async function revoke(
  kind: SignedUse['kind'],
  subject: string,
  file: string,
): Promise<void> {
  const config = await loadConfig(file);
  if (config.redis === undefined) {
    const advice = 'to withdraw everything that a key pair has signed, remove it from the file.';
    throw new Failure(`${file} has no redis.url, so its processes share no revocations: ${advice}`);
  }
  const { name, seconds } = toRevocation(kind, subject);
  const redis = await connectRedis(config.redis);
  try {
    await redis.revoke(kind, name, seconds);
    process.stdout.write(`Revoked the ${kind}.\n`);
  } finally {
    redis.close();
  }
}

/** A `storeFileID`. */
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Returns the name of a grant or link, and how long to remember its revocation. */
function toRevocation(kind: SignedUse['kind'], subject: string): { name: string; seconds: number } {
  if (kind === 'grant') {
    if (UUID.test(subject)) return { name: subject, seconds: MAX_GRANT_SECONDS };
    throw new Failure('Pass the storeFileID of a grant, such as 3f0c6a52-….');
  }
  const { pathname = '', search = '' } = URL.parse(subject) ?? {};
  const { id, expires } = parseLink(`${pathname}${search}`);
  const seconds = (Number(expires) - Date.now()) / 1000;
  if (id !== '' && seconds > 0) return { name: id, seconds };
  throw new Failure('Pass the URL of a link that has not expired.');
}

export async function token({
  data,
  ...request
}: Omit<TokenRequest, 'key'> & { readonly data: string }): Promise<void> {
  const keys = await readDevelopmentKeys(data);
  if (keys === undefined) {
    const fix = 'start one there, or pass its --data.';
    throw new Failure(`${data} is not the data folder of a development server: ${fix}`);
  }
  process.stdout.write(`${await mintToken({ ...request, key: keys.tokenKey })}\n`);
}
