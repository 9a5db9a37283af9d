import type { Context } from './context.ts';
import { LINK_PREFIX } from './files/links.ts';
import { createGateway } from './gateway/create-gateway.ts';
import { createStorage } from './storage/create-storage.ts';
import type { Surface } from './surface.ts';
import { createLink } from './upload/create-link.ts';
import { createUpload, UPLOAD_PATH } from './upload/create-upload.ts';

/**
 * Decides which surface a raw path belongs to. A path that begins like one of the storage document is
 * the storage API's, so that a slip after that is answered in its shape; what is left is the gateway's.
 */
export function createSurfaceOf(context: Context): (path: string) => Surface {
  const surfaces = {
    gateway: createGateway(context),
    storage: createStorage(context),
    upload: createUpload(context),
    link: createLink(context),
  };
  const storageRoots = context.operations
    .filter(({ document, path }) => document === 'storage' && path !== UPLOAD_PATH)
    .map(({ path }) => firstSegment(path));
  return (path) => {
    if (path === UPLOAD_PATH) return surfaces.upload;
    if (path.startsWith(LINK_PREFIX)) return surfaces.link;
    return storageRoots.includes(firstSegment(path)) ? surfaces.storage : surfaces.gateway;
  };
}

function firstSegment(path: string): string | undefined {
  return path.split('/')[1];
}
