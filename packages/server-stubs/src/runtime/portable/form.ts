import { createNullObject, parseQuery } from './encoding.ts';
import { HttpError } from './http-error.ts';
import { decode, readQuery } from './parameters.ts';
import type { Field } from './route-table.ts';

/** Limits the objects that a form of many short fields would become. */
const MAX_FIELDS = 1000;

/** Reads a form. A documented field is converted to its types; any other is text, or a list if it has several values. */
export function parseForm(text: string, fields: readonly Field[] = []): Record<string, unknown> {
  if (text.split('&', MAX_FIELDS + 1).length > MAX_FIELDS) {
    throw new HttpError('too-large', `The form has more than ${MAX_FIELDS} fields.`);
  }
  const form = createNullObject();
  const values = parseQuery(text);
  for (const field of fields) {
    const value = readQuery(field, values);
    if (value !== undefined) form[field.name] = value;
  }
  const isDocumented = (sent: string) =>
    fields.some(
      ({ name, style }) => sent === name || (style === 'deepObject' && sent.startsWith(`${name}[`)),
    );
  for (const [name, raws] of values) {
    if (isDocumented(name)) continue;
    const texts = raws.map((raw) => decode({ name }, raw));
    form[name] = texts.length === 1 ? texts[0] : texts;
  }
  return form;
}
