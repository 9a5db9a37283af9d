import type { MutatedAnswer } from '../proxy/messages.ts';

/** Writes JSON with line breaks, tabs, and the last field first. */
export function prettyText(answer: MutatedAnswer): void {
  const { json } = answer;
  if (json === undefined) return;
  const turned = Object.fromEntries(Object.entries(json).reverse());
  const text = JSON.stringify(turned, null, '\t').replaceAll('\n', '\r\n');
  answer.body = Buffer.from(`\r\n ${text} \r\n`);
}

/** Writes the letters of JSON strings, names of fields included, and slashes as escapes. */
export function escapeText(answer: MutatedAnswer): void {
  const { json } = answer;
  if (json === undefined) return;
  const toEscape = (one: string) => {
    if (one.startsWith('\\')) return one;
    return one === '/' ? '\\/' : `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`;
  };
  const text = JSON.stringify(json).replaceAll(/"(?:[^"\\]|\\.)*"/g, (string) =>
    string.replaceAll(/\\u.{4}|\\.|[a-z\u0080-\uffff/]/g, toEscape),
  );
  answer.body = Buffer.from(text);
}
