import type { Operation } from './contract/operations.ts';
import { LINK_PREFIX } from './files/links.ts';
import type { SurfaceName } from './surface-name.ts';
import { UPLOAD_PATH } from './upload/upload-path.ts';

/**
 * Decides which surface a raw path belongs to. A path that begins like one of the storage document is
 * the storage API's, so that a slip after that is answered in its shape; what is left is the gateway's.
 */
export function createSurfaceOf(operations: readonly Operation[]): (path: string) => SurfaceName {
  const storageRoots = new Set(
    operations
      .filter(({ document, path }) => document === 'storage' && path !== UPLOAD_PATH)
      .map(({ path }) => firstSegment(path)),
  );
  return (path) => {
    if (path === UPLOAD_PATH) return 'upload';
    if (path.startsWith(LINK_PREFIX)) return 'link';
    return storageRoots.has(firstSegment(path)) ? 'storage' : 'gateway';
  };
}

function firstSegment(path: string): string {
  const end = path.indexOf('/', 1);
  return path.slice(1, end < 0 ? undefined : end);
}
