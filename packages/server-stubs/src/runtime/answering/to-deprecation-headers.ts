import type { Deprecation } from '../options.ts';

/** `Deprecation` (RFC 9745) is a structured date; `Sunset` (RFC 8594) is an HTTP date. */
export function toDeprecationHeaders({
  since,
  sunset,
  link,
}: Deprecation): Readonly<Record<string, string>> {
  return {
    deprecation: `@${Math.floor(since.getTime() / 1000)}`,
    ...(sunset && { sunset: sunset.toUTCString() }),
    ...(link && { link: `<${link}>; rel="deprecation"` }),
  };
}
