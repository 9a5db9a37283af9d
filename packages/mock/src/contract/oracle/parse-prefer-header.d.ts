declare module 'parse-prefer-header' {
  /** Preferences by name; `true` where one has no value (RFC 7240). */
  export default function parsePreferHeader(
    header: string,
  ): Record<string, string | true | undefined>;
}
