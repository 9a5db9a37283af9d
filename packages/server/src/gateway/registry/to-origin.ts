/**
 * The origin of an endpoint, normalised: `http://Example:80/` becomes `http://example`.
 *
 * @throws TypeError for anything but `http:` or `https:` with a host and perhaps a port
 */
export function toOrigin(endpoint: string): string {
  const url = URL.parse(endpoint);
  if (url === null || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw new TypeError(
      `${endpoint} is no endpoint: write http:// or https://, a host and a port.`,
    );
  }
  return url.origin;
}
