import type { Row } from './row.ts';

/** The rows as a Markdown table. */
export function toTable(rows: readonly Row[]): string {
  const head = ['suite', 'measure', 'ours', 'peer', 'peer is', 'runs', 'ratio', 'goal', 'holds'];
  const lines = rows.map((row) => [
    row.suite,
    row.measure,
    toFigure(row.ours),
    toFigure(row.peer),
    row.peerName,
    String(row.runs),
    row.ratio.toFixed(2),
    row.goal,
    row.holds ? 'yes' : 'NO',
  ]);
  return [head, head.map(() => '---'), ...lines]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

function toFigure(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}
