import { StoreUnavailableError } from './blob-store.ts';

/** Returns the code of a file system error, such as `ENOENT`, or `undefined` for any other error. */
export function diskCodeOf(error: unknown): string | undefined {
  return error instanceof Error && 'syscall' in error && 'code' in error
    ? String(error.code)
    : undefined;
}

/** Resolves to the result of a file operation, or to `undefined` if the file does not exist. */
export async function orMissing<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (diskCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'The store folder no longer exists.',
  ENOSPC: 'The disk is full.',
  EDQUOT: 'The disk quota is exceeded.',
  EFBIG: 'The file exceeds the maximum size allowed by the disk or the process.',
  EIO: 'The disk failed.',
  EROFS: 'The disk is mounted read-only.',
  EACCES: 'The server has no permission to use the store folder.',
  EPERM: 'The server has no permission to use the store folder.',
  EMFILE: 'The process has too many files open.',
  ENFILE: 'The system has too many files open.',
  ELOOP: 'The store contains a symbolic link; links are not followed.',
  ENAMETOOLONG: 'The path of the store folder is too long for file names of this length.',
};

function toStoreError(error: unknown): unknown {
  const code = diskCodeOf(error);
  if (code === undefined) return error;
  const reason = REASONS[code] ?? 'The disk operation failed.';
  return new StoreUnavailableError(`${reason} (${code})`, { cause: error });
}

export async function withStoreErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toStoreError(error);
  }
}
