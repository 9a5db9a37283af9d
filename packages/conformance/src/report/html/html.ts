/** Text that is markup already. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Markup | undefined | readonly Part[];

const NAMES: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": '#39' };

/** Markup in which every value that is no markup itself is escaped; `undefined` is nothing. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Markup {
  return new Markup(strings.reduce((text, next, index) => text + render(parts[index - 1]) + next));
}

function render(part: Part): string {
  if (part instanceof Markup) return part.text;
  if (part === undefined) return '';
  if (typeof part === 'object') return part.map(render).join('');
  return String(part)
    .toWellFormed()
    .replace(/[&<>"']/g, (c) => `&${NAMES[c]};`);
}
