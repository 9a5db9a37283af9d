declare module 'parse-prefer-header' {
  /** Preferences by name; `true` for one without a value (RFC 7240). */
  export default function parsePreferHeader(
    header: string,
  ): Record<string, string | true | undefined>;
}
