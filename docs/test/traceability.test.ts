import { existsSync } from 'node:fs';
import { join } from 'node:path';
import published from '@berth/spec/rules.json' with { type: 'json' };
import { describe, expect, it } from 'vitest';
import { toPlaceFile, toTraceability } from '../scripts/generate.ts';

const ROOT = join(import.meta.dirname, '../..');

describe('the traceability page', () => {
  const page = toTraceability(published);
  const rows = page.split('\n').filter((line) => line.includes('| `'));

  it('has a row for every rule and every line of the outline', () => {
    for (const { id } of published.rules) expect(page).toContain(`| \`${id}\` |`);
    for (const line of published.outline) {
      expect(page).toContain(`| ${line.split(' › ').slice(1).join(' › ')} | \``);
    }
  });

  it('links every row to a place or a decision that exists', () => {
    expect(rows.length).toBeGreaterThan(published.rules.length);
    for (const row of rows) {
      const links = [...row.matchAll(/\]\((?<path>[^)]+)\)/g)].map((match) => match.groups?.path);
      expect(links.length, row).toBeGreaterThan(0);
      for (const link of links) {
        expect(existsSync(join(ROOT, 'docs/reference', link ?? '')), link).toBe(true);
      }
    }
  });

  it('keeps the order of the API description', () => {
    const headings = [...page.matchAll(/^## (.+)$/gm)].map((match) => match[1]);
    const order = [...new Set(published.outline.map((place) => place.split(' › ')[0]))];
    expect(headings).toEqual([...order, 'Decisions alone']);
  });

  it('names the hand-written file of every place', () => {
    const files = published.rules.flatMap((rule) => rule.places.map(toPlaceFile));
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });
});
