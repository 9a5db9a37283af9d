/** Value of a header, as Node gives and takes it. */
export type HeaderValue = string | number | readonly string[] | undefined;

/** Headers by name. Names are case-insensitive, as on the wire. */
export type Headers = Readonly<Record<string, HeaderValue>>;

/** The value of a header, whatever the case of its name; several lines as one list. */
export function headerOf(headers: Headers, name: string): string | undefined {
  const value = headers[name] ?? headers[findName(headers, name) ?? name];
  return Array.isArray(value) ? value.join(', ') : value === undefined ? undefined : String(value);
}

function findName(headers: Headers, name: string): string | undefined {
  return Object.keys(headers).find((key) => key.toLowerCase() === name);
}
