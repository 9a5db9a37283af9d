import { isObject, toText } from '../document/json.ts';
import type { Schema } from '../schema/schema.ts';

/** The comment of a schema, with a line break after it; empty where there is nothing to tell. */
export function toComment(schema: Schema): string {
  if (!isObject(schema)) return '';
  const initial = schema.default;
  return toJsDoc([
    toText(schema.description) ?? toText(schema.title) ?? '',
    initial === undefined ? '' : `@default ${JSON.stringify(initial)}`,
    schema.deprecated === true ? '@deprecated' : '',
  ]);
}

/** Paragraphs as JSDoc, with a line break after it. */
export function toJsDoc(paragraphs: readonly string[]): string {
  const lines = paragraphs
    .filter(Boolean)
    .join('\n\n')
    .replaceAll('*/', '*\\/')
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => line.trimEnd());
  while (lines.at(-1) === '') lines.pop();
  if (lines.length === 0) return '';
  if (lines.length === 1) return `/** ${lines[0]} */\n`;
  return `/**\n${lines.map((line) => (line === '' ? ' *' : ` * ${line}`)).join('\n')}\n */\n`;
}
