import { expect, test } from 'vitest';
import { run } from './support/run.ts';

test('--list shows the selected rules with their level, needs and statement', async () => {
  const { code, output, lines } = await run('--list', '--only', 'GW-C3,GW-C1', '--skip', 'GW-C3-W');
  expect(code).toBe(0);
  expect(output).toContain('GW-C1 (MUST, needs fixture)\n  If a hosted service responds to a GET');
  expect(lines.at(-1)).toBe('2 rules');
});

test('--list --json works without the SHOULD rules', async () => {
  const rules = JSON.parse((await run('--list', '--json', '--level', 'must')).output);
  expect(rules.length).toBeGreaterThan(100);
  expect(rules.every(({ level }: { level: string }) => level === 'must')).toBe(true);
  expect(rules[0]).toMatchObject({ id: expect.any(String), statement: expect.any(String) });
});
