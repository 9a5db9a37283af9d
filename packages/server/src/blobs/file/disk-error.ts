import { StoreUnavailableError } from '../blob-store.ts';

/** Code of an error of the file system, such as `ENOENT`; undefined for any other. */
export function diskCodeOf(error: unknown): string | undefined {
  return error instanceof Error && 'syscall' in error && 'code' in error
    ? String(error.code)
    : undefined;
}

/** Undefined if the file does not exist. */
export async function orMissing<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (diskCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'The store folder is gone.',
  ENOSPC: 'The disk is full.',
  EDQUOT: 'The disk quota is exceeded.',
  EFBIG: 'The file exceeds the maximum size of the disk or the process.',
  EIO: 'The disk failed.',
  EROFS: 'The disk is mounted read-only.',
  EACCES: 'The server has no permission to use the store folder.',
  EPERM: 'The server has no permission to use the store folder.',
  EMFILE: 'The process has too many files open.',
  ENFILE: 'The system has too many files open.',
  ELOOP: 'There is a symbolic link in the store; the store follows none.',
  ENAMETOOLONG: 'The path of the store folder is too long for names of this length.',
};

/** The error for callers: file system errors mean that the store is unavailable. */
function toStoreError(error: unknown): unknown {
  const code = diskCodeOf(error);
  if (code === undefined) return error;
  const reason = REASONS[code] ?? 'The disk operation failed.';
  return new StoreUnavailableError(`${reason} (${code})`, { cause: error });
}

/** Runs an operation, and converts its errors. */
export async function withStoreErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toStoreError(error);
  }
}
