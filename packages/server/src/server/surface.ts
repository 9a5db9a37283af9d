import { FILES_PATH, UPLOAD_PATH } from '@berth/server-stubs/engine';
import type { Surface } from '../observe/create-metrics.ts';

/** Returns the surface for a path. The gateway gets every path that belongs to no other surface. */
export function surfaceOf(url: string): Surface {
  if (isBelow(url, '/api/v2')) return 'storage';
  if (isBelow(url, UPLOAD_PATH)) return 'upload';
  if (isBelow(url, FILES_PATH)) return 'files';
  return 'gateway';
}

function isBelow(url: string, prefix: string): boolean {
  if (!url.startsWith(prefix)) return false;
  const next = url.charCodeAt(prefix.length);
  return Number.isNaN(next) || next === 47 /* / */ || next === 63; /* ? */
}
