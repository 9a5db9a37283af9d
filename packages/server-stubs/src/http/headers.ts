/** Value of a header, as Node gives and takes it. */
export type HeaderValue = string | number | readonly string[] | undefined;

/** Headers by name. Names are case-insensitive, as on the wire. */
export type Headers = Readonly<Record<string, HeaderValue>>;

/** The value of a header, whatever the case of its name; several lines as one list. */
export function headerOf(headers: Headers, name: string): string | undefined {
  const value = givenOf(headers, name);
  return Array.isArray(value) ? value.join(', ') : value === undefined ? undefined : String(value);
}

/** The value of a header as it was given, whatever the case of its name. */
export function givenOf(headers: Headers, name: string): HeaderValue {
  const value = headers[name];
  if (value !== undefined) return value;
  for (const key in headers) {
    if (key.length === name.length && key.toLowerCase() === name) return headers[key];
  }
  return undefined;
}
