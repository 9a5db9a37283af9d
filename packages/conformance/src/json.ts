/** Returns `undefined` if the text is not JSON, or is nested too deeply to be written again. */
export function parseJson(text: string | Buffer): unknown {
  try {
    const value: unknown = JSON.parse(text.toString());
    JSON.stringify(value);
    return value;
  } catch {
    return undefined;
  }
}

/** Returns the fields of a value that may be an object; none of any other. */
export const toFields = (value: unknown): Record<string, unknown> => Object(value);
