/** Headers in the order and case of the wire; a repeated one stands repeatedly. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/** Headers as a check writes them. */
export type HeaderInput = Record<string, string | readonly string[] | undefined> | HeaderList;

/** Every value of a header, in order. Names are compared without case. */
export function readAll(headers: HeaderList, name: string): string[] {
  const wanted = name.toLowerCase();
  return headers.filter(([key]) => key.toLowerCase() === wanted).map(([, value]) => value);
}

export function toHeaderList(input: HeaderInput = []): HeaderList {
  if (isList(input)) return input;
  return Object.entries(input).flatMap(([name, value = []]) =>
    [value].flat().map((item) => [name, item] as const),
  );
}

/** The headers of `added` in place of those of the same name, and the others as they are. */
export function withHeaders(headers: HeaderList, added: HeaderList): HeaderList {
  const names = new Set(added.map(([name]) => name.toLowerCase()));
  return [...headers.filter(([name]) => !names.has(name.toLowerCase())), ...added];
}

/** Node's `rawHeaders`, names and values in turn, as pairs. */
export function fromRawHeaders(raw: readonly string[]): HeaderList {
  return raw.flatMap((name, index) =>
    index % 2 === 0 ? [[name, raw[index + 1] ?? ''] as const] : [],
  );
}

function isList(input: HeaderInput): input is HeaderList {
  return Array.isArray(input);
}
