import { expect, onTestFinished, test } from 'vitest';
import { checks } from '../src/checks/index.ts';
import { type Check, defineCheck } from '../src/context/check-context.ts';
import { type Rule, rules } from '../src/contract/rules.ts';
import type { SentenceId } from '../src/generated/rule-ids.gen.ts';
import { INVARIANTS } from '../src/invariants.ts';
import { mutants } from './mutants/index.ts';
import { toMutants } from './mutants/mutant.ts';
import { serviceResponse, setStatus } from './mutants/support/gateway.ts';
import { run } from './support/run.ts';
import { startMutated } from './targets/start-mutated.ts';

test('every sentence has a check or an invariant, and a mutant', () => {
  const checked = new Set<string>([...checks.map(({ id }) => id), ...Object.keys(INVARIANTS)]);
  const broken = new Set<string>(mutants.map(({ id }) => id));
  const sentences = rules.flatMap((rule) => Object.keys(rule.sentences));
  expect(sentences.filter((id) => !checked.has(id))).toEqual([]);
  expect(sentences.filter((id) => !broken.has(id))).toEqual([]);
});

test('a new rule is an entry in three tables: of rules, of checks and of mutants', async () => {
  const id = 'GW-TEAPOT' as SentenceId;
  const statement = 'If a hosted service is a teapot, the caller learns that.';
  const rule = {
    id,
    level: 'must',
    api: 'gateway',
    statement,
    sentences: { [id]: statement },
  } as const;
  (rules as Rule[]).push({ ...rule, source: [], decisions: [], operations: [], places: [] });
  const check = defineCheck(id, ['fixture'], async (t) => {
    const path = t.fixture.respond({ status: 418 });
    const { received } = await t.gateway.call({ path });
    t.expect(received.status === 418, `the status must be 418, not ${received.status}`);
  });
  (checks as Check[]).push(check);
  onTestFinished(() => {
    (rules as Rule[]).pop();
    (checks as Check[]).pop();
  });
  const [mutant] = toMutants({
    [`${id}: teapots deny it` as const]: serviceResponse({ status: 418 }, setStatus(200)),
  });

  const { output: listed } = await run('--list', '--only', id);
  expect(listed).toContain(`${id} (MUST)\n  ${statement}`);
  const server = await startMutated();
  onTestFinished(() => server.close());
  const { gatewayUrl, gatewayHost = '', gatewayToken = '' } = server.options;
  const target = ['--gateway-url', gatewayUrl, '--gateway-host', gatewayHost];
  const args = [...target, '--gateway-token', gatewayToken, '--only', id];
  expect(await run(...args)).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^pass +1$/m),
  });
  server.use(mutant);
  const { code, output } = await run(...args);
  expect(code).toBe(1);
  expect(output).toMatch(/^fail +GW-TEAPOT\n +contract +If a hosted service is a teapot/m);
  expect(output).toContain('the status must be 418, not 200');
});
