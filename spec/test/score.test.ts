import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { DOCUMENTS } from '../scripts/generate/bundle.ts';
import { redocly } from '../scripts/redocly.ts';

const folder = mkdtempSync(join(tmpdir(), 'berth-score-'));
afterAll(() => rmSync(folder, { recursive: true }));

const README = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');

/**
 * The score of a document whose references are resolved: of a component that several operations share, `redocly score`
 * counts only the first use.
 */
async function score(name: string): Promise<Record<string, number>> {
  const output = join(folder, `${name}.json`);
  await redocly('bundle', `${name}/openapi.yaml`, '--dereferenced', '--output', output);
  const { stdout } = await redocly('score', output, '--format', 'json');
  const { agentReadiness, subscores } = JSON.parse(stdout);
  return { agentReadiness, ...subscores };
}

/** Rows of the table in the README: each part of the score that loses points, with its reason. */
const rows = [...README.matchAll(/^\| `(\w+)` +\| +([\d.]+) +\| +([\d.]+) +\| .+ \|$/gm)].map(
  ([, part = '', ...scores]) => [part, scores.map(Number)] as const,
);

describe.each(DOCUMENTS)('the score of %s', (name) => {
  it('loses points only for reasons that the README gives', async () => {
    const { agentReadiness, ...parts } = await score(name);
    const lost = Object.keys(parts).filter((part) => (parts[part] as number) < 1);
    expect(rows.length).toBeGreaterThan(3);
    expect(rows.map(([part]) => part)).toEqual(expect.arrayContaining(lost));
    for (const [part, scores] of rows) {
      const now = part === 'agentReadiness' ? agentReadiness : (parts[part] as number) * 100;
      expect([part, Math.round((now as number) * 10) / 10]).toEqual([
        part,
        scores[DOCUMENTS.indexOf(name)],
      ]);
    }
  });
});
