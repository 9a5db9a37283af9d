import type { Row } from './compare.ts';

const HEAD = ['suite', 'measure', 'ours', 'peer', 'peer is', 'runs', 'ratio', 'goal', 'met'];

/** Renders a Markdown table. */
export function toTable(rows: readonly Row[]): string {
  return [HEAD, HEAD.map(() => '---'), ...rows.map(toCells)]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

function toCells(row: Row): string[] {
  return [
    row.suite,
    row.measure,
    toFigure(row.ours),
    toFigure(row.peer),
    row.peerName,
    String(row.runs),
    row.ratio.toFixed(2),
    row.goal,
    row.holds ? 'yes' : 'NO',
  ];
}

function toFigure(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}
