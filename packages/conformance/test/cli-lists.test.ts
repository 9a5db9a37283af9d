import { expect, test } from 'vitest';
import { checks } from '../src/checks/index.ts';
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

interface Planned {
  id: string;
  requests?: number;
  bytes?: number;
  shares?: string[];
  reason?: string;
}

async function plan(...args: string[]): Promise<{ total: number; checks: Planned[] }> {
  const { code, output } = await run('--dry-run', '--json', ...args);
  expect(code).toBe(0);
  const { requests, plan: planned } = JSON.parse(output);
  return { total: requests, checks: planned };
}

test('--dry-run shows what each check would send, and sends nothing', async () => {
  const nowhere = ['--gateway-url', 'http://127.0.0.1:1', '--storage-url', 'http://127.0.0.1:1'];
  const whole = await plan(...nowhere, '--gateway-token', 'token', '--storage-header', 'A: b');
  const ids = whole.checks.map(({ id }) => id);
  for (const { rule } of checks) expect(ids).toContain(rule);
  const made = whole.checks.filter(({ reason }) => reason === undefined);
  for (const { id, requests = 0, bytes = 0 } of made.filter(({ shares }) => !shares)) {
    expect(requests, id).toBeGreaterThan(0);
    expect(bytes, id).toBeGreaterThan(20 * requests);
  }
  expect(whole.total).toBe(made.reduce((sum, { requests = 0 }) => sum + requests, 0));
});

test('--dry-run counts only the checks that the other options select', async () => {
  const { checks: planned } = await plan('--only', 'GW-C1,ST-COPY', '--read-only');
  const reason = (id: string) => planned.find((each) => each.id === id)?.reason;
  expect(reason('GW-C1')).toBeUndefined();
  expect(reason('GW-C2')).toBe('not in --only');
  expect(reason('ST-COPY-CALL')).toMatch(/--read-only|no --storage-header/);
  const { output } = await run('--dry-run', '--only', 'GW-C1');
  expect(output).toMatch(/^GW-C1 +\d+ requests, [\d,]+ bytes$/m);
  expect(output).toMatch(/^1 of \d+ checks would send about \d+ requests with [\d,]+ bytes/m);
});

test('--dry-run counts the calls that checks share once', async () => {
  const credentials = ['--storage-url', 'http://127.0.0.1:1', '--storage-header', 'A: b'];
  const [owner, sharing] = ['ST-ENVELOPE-CODE', 'ST-ENVELOPE-MESSAGE-PRESENT'];
  const { total: alone } = await plan(...credentials, '--only', sharing);
  const { total: ofOwner } = await plan(...credentials, '--only', owner);
  const both = await plan(...credentials, '--only', `${owner},${sharing}`);
  expect([alone, both.total]).toEqual([ofOwner, ofOwner]);
  const planned = both.checks.find(({ id }) => id === sharing);
  expect(planned).toMatchObject({ requests: 0, shares: [owner] });
});
