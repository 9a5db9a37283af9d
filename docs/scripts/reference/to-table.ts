/** A Markdown table; a `|` in a cell is escaped. */
export function toTable(head: string[], rows: string[][]): string {
  const lines = [head, head.map(() => '---'), ...rows].map(
    (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`,
  );
  return `${lines.join('\n')}\n`;
}
