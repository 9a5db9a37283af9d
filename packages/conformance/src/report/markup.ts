/** HTML or XML, which is not escaped again. */
export interface Markup {
  markup: string;
}

type Part = string | number | Markup | undefined | readonly Part[];

/** Tag for templates of HTML or XML. Escapes every value in them that is not markup itself. */
export function markup(strings: TemplateStringsArray, ...parts: Part[]): Markup {
  return { markup: strings.reduce((all, next, at) => all + render(parts[at - 1]) + next) };
}

function render(part: Part): string {
  if (part === undefined) return '';
  if (typeof part !== 'object') return escapeText(String(part));
  return 'markup' in part ? part.markup : part.map(render).join('');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 cannot represent these
const IMPOSSIBLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  // A parser would turn it into a line feed.
  '\r': '&#13;',
};

function escapeText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(IMPOSSIBLE, '\uFFFD')
    .replaceAll(/[&<>"\r]/g, (character) => ESCAPES[character] ?? character);
}
