import type { DatedRow, Figure } from './compare.ts';

const HEAD = ['suite', 'measure', 'ours', 'peer', 'peer is', 'runs', 'ratio', 'goal', 'met'];

/**
 * Renders a Markdown table of all figures, in the order of `figures`. A figure without a row is shown as not
 * measured.
 */
export function toTable(figures: readonly Figure[], rows: readonly DatedRow[]): string {
  const lines = figures.map((figure) => {
    const row = rows.find((each) => isOf(each, figure));
    return row ? toCells(row) : toEmptyCells(figure);
  });
  return [HEAD, HEAD.map(() => '---'), ...lines]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

/** Summarizes the results: `41 goals met, 3 missed, 2 without a goal, 1 not measured`. */
export function toSummary(figures: readonly Figure[], rows: readonly DatedRow[]): string {
  const found = figures.map((figure) => rows.find((row) => isOf(row, figure)));
  const measured = found.filter((row) => row !== undefined);
  const withGoal = measured.filter((row) => !isStated(row));
  const missed = withGoal.filter((row) => !row.holds).length;
  return [
    `${withGoal.length - missed} goals met`,
    `${missed} missed`,
    `${measured.length - withGoal.length} without a goal`,
    `${found.length - measured.length} not measured`,
  ].join(', ');
}

function toCells(row: DatedRow): string[] {
  return [
    row.suite,
    row.measure,
    toFigure(row.ours),
    toFigure(row.peer),
    `${row.peerName} ${row.peerVersion}`.trim(),
    String(row.runs),
    row.ratio.toFixed(2),
    isStated(row) ? '–' : row.goal,
    isStated(row) ? '–' : row.holds ? 'yes' : 'NO',
  ];
}

function toEmptyCells(figure: Figure): string[] {
  const { suite, measure, peerName } = figure;
  const goal = isStated(figure) ? '–' : figure.goal;
  return [suite, measure, '', '', peerName, '0', '', goal, 'not measured'];
}

function isOf(row: Figure, { suite, measure, peerName }: Figure): boolean {
  return row.suite === suite && row.measure === measure && row.peerName === peerName;
}

function isStated({ goal }: Figure): boolean {
  return goal === '>= 0';
}

function toFigure(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}
