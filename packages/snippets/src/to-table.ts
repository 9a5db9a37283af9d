import type { Outcome } from './page.ts';

const CLASSES = ['run', 'type-checked', 'validated', 'parsed', 'left alone', 'wrong'] as const;

/**
 * Renders a table with the number of blocks of each language in each class, and the reasons why some were not
 * run.
 */
export function toTable(outcomes: Outcome[]): string {
  const langs = [...new Set(outcomes.map(({ block }) => block.lang))].sort();
  const rows = [...langs, undefined].map((lang) => {
    const own = outcomes.filter(({ block }) => lang === undefined || block.lang === lang);
    const counts = CLASSES.map((name) => own.filter((outcome) => outcome.class === name).length);
    return [lang === undefined ? 'all' : lang || '(none)', ...counts, own.length];
  });
  const head = ['', ...CLASSES, 'blocks'];
  const lines = [head, ...rows].map((row) =>
    row.map((cell, column) => String(cell).padStart(column === 0 ? 8 : 13)).join(''),
  );
  const less = outcomes
    .filter(({ why }) => why !== undefined)
    .map(
      ({ block, class: name, why }) =>
        `  ${block.page}:${block.line} ${block.lang} ${name}: ${why}`,
    );
  return [...lines, '', ...less, ''].join('\n');
}
