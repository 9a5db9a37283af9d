/** A JSON object whose members are not known yet. */
export type JsonObject = { [name: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The members of an object, none where it is no object. */
export function entriesOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}

export function toList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
