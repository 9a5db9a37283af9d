import { splitTarget } from '../credentials/create-signers.ts';

/**
 * Path and query of an address that an answer holds, as they are written there. Only what no request
 * line may have, a space or a letter outside ASCII, is percent-encoded.
 */
export function toTarget(url: string): string {
  const { pathname, search } = splitTarget(url);
  const target = (pathname || '/') + (search === '' ? '' : `?${search}`);
  const [sent = ''] = target.split('#', 1);
  return sent.replace(/[^\u0021-\u007e]/gu, encodeURIComponent);
}
