/** Returns the rows of all tables in a Markdown text whose first cell is a code in backticks. */
export function readTables(markdown: string): Map<string, readonly string[]> {
  const rows = markdown
    .split('\n')
    .filter((line) => /^\|\s*`/.test(line))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  return new Map(rows.map(([code = '', ...cells]) => [code.replaceAll('`', ''), cells]));
}
