import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const PAGE = join(import.meta.dirname, '../reference/comparison.md');
/** The figures after this heading come from a run, which the tests of `packages/interop` check. */
const MEASURED = '## Measured with other documents';
const [text = '', measured] = readFileSync(PAGE, 'utf8').split(MEASURED);
const rows = text
  .split('\n')
  .filter((line) => /^\| [^|-]/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()));
const linksOf = (part: string) =>
  [...part.matchAll(/\]\((?<to>[^)]+)\)/g)].map((match) => match[1]);

describe('the comparison', () => {
  it('has a table for each of our four packages that has peers', () => {
    expect(text.match(/^\| \|.*\| `@berth\/[\w-]+` \|$/gm)).toHaveLength(4);
    expect(rows.length).toBeGreaterThan(40);
  });

  it('links our claim in every row to an existing test, page or file', () => {
    for (const row of rows) {
      const ours = linksOf(row.at(-2) ?? '').map((to) => to?.split('#')[0] ?? '');
      expect(ours.length, row[1]).toBeGreaterThan(0);
      for (const to of ours)
        expect(existsSync(join(dirname(PAGE), to)), `${row[1]}: ${to}`).toBe(true);
    }
  });

  it('has figures from a run for mock servers, validators and suites', () => {
    expect(measured?.match(/^\| All \|.*\d \|$/gm)).toHaveLength(3);
  });

  it('has a source for every claim about others', () => {
    const claims = rows.flatMap((row) => row.slice(2, -2));
    const unsourced = claims.filter(
      (claim) => !linksOf(claim).some((to) => to?.startsWith('https://')),
    );
    // These are not claims: unknown, not applicable, or up to the user.
    const plain = /^(not documented|it(s API)? has (none|no OpenAPI document)|by your code)$/;
    expect(unsourced.filter((claim) => !plain.test(claim))).toEqual([]);
  });
});
