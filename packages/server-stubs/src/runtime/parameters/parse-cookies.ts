/** Cookies by name, as they came (RFC 6265, section 5.4); a name may be given several times. */
export function parseCookies(header: string | undefined): ReadonlyMap<string, readonly string[]> {
  const cookies = new Map<string, string[]>();
  for (const pair of (header ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at < 0) continue;
    const name = pair.slice(0, at).trim();
    const value = withoutQuotes(pair.slice(at + 1).trim());
    const known = cookies.get(name);
    if (known) known.push(value);
    else cookies.set(name, [value]);
  }
  return cookies;
}

function withoutQuotes(value: string): string {
  return value.length > 1 && value.startsWith('"') && value.endsWith('"')
    ? value.slice(1, -1)
    : value;
}
