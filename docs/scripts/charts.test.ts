import { expect, it } from 'vitest';
import { toCharts } from './charts.ts';

const PAGE = `![Ratios](../images/performance-mock.gen.svg)

| suite | measure | ours | peer | peer is | runs | ratio | goal | met |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
| mock | storage POST, requests/CPU s | 40 | 10 | prism-cli 5 | 5 | 4.00 | >= 2 | yes |
| mock | start, ms | 400 | 200 | a <limit> | 5 | 2.00 | <= 1 | NO |
| mock | memory, MB | 1 | 1 | nginx | 5 | 1.00 | – | – |
| client | GET | 1 | 1 | fetch | 5 | 1.00 | <= 1 | yes |
`;

it('draws each figure that has a goal, for the suites that the page shows', () => {
  const charts = toCharts(PAGE);
  expect([...charts.keys()]).toEqual(['performance-mock.gen.svg']);
  const svg = charts.get('performance-mock.gen.svg') ?? '';
  expect(svg.match(/<rect class="\w+"/g)).toEqual(['<rect class="met"', '<rect class="missed"']);
  const bars = [...svg.matchAll(/<rect class.* width="([\d.]+)"/g)].map(([, width]) =>
    Number(width),
  );
  expect(bars[0]).toBeCloseTo(2 * (bars[1] as number), 0);
});

it('has the figures as text, too', () => {
  const [svg = ''] = toCharts(PAGE).values();
  const [, text] = /<desc id="desc">(.*)<\/desc>/.exec(svg) ?? [];
  expect(text).toBe(
    'storage POST, requests/CPU s – prism-cli 5: 4.00 (goal ≥ 2). start, ms – a &lt;limit&gt;: 2.00 (goal ≤ 1).',
  );
});

it('draws the line of equal figures next to the bars only, so that it crosses no label', () => {
  const [svg = ''] = toCharts(PAGE).values();
  const labels = [...svg.matchAll(/<text x="16" y="(\d+)"/g)].map(([, y]) => Number(y));
  const lines = [...svg.matchAll(/class="one" d="M[\d.]+ (\d+)v(\d+)"/g)];
  expect(lines).toHaveLength(labels.length);
  for (const [index, [, top, length]] of lines.entries()) {
    expect(Number(top)).toBeGreaterThan(labels[index] as number);
    expect(Number(top) + Number(length)).toBeLessThan((labels[index] as number) + 28);
  }
});
