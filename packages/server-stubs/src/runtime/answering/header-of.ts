import type { Answer } from '../route-table.ts';

/** The value of a header whatever the case of its name; several lines as one list. */
export function headerOf(
  headers: NonNullable<Answer['headers']>,
  name: string,
): string | undefined {
  for (const key in headers) {
    if (key.length !== name.length || key.toLowerCase() !== name) continue;
    const value = headers[key];
    if (value !== undefined) return typeof value === 'string' ? value : value.join(', ');
  }
  return undefined;
}
