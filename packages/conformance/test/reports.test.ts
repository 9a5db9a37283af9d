import { validate } from 'ctrf';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { expect, test } from 'vitest';
import { reporters } from '../src/report/reporters.ts';
import { toSummaryLine } from '../src/report/to-lines.ts';
import type { Outcome } from '../src/result.ts';
import { sampleReport, sampleResult } from './support/sample-report.ts';

const HOSTILE = `<script>alert("1")</script> & ']]> --> \u0000\u001b[2J\ud800 \r\n end`;

const failed = sampleResult({
  id: 'GW-C2',
  outcome: 'fail',
  findings: [
    {
      message: `must be attachment, not ${HOSTILE}`,
      where: 'gateway.v1#/x',
      request: {
        method: 'POST',
        url: 'http://a.example/x',
        headers: { A: HOSTILE },
        body: HOSTILE,
      },
      response: {
        ...{ status: 200, body: HOSTILE, bodyEncoding: 'utf-8' },
        headers: { b: [HOSTILE, 'c'], 'x-request-id': 'id-1' },
      },
    },
  ],
  notes: [HOSTILE],
});
const report = sampleReport([
  sampleResult(),
  failed,
  sampleResult({ id: 'ST-META-CALL', outcome: 'skip', reason: HOSTILE }),
  sampleResult({ id: 'AU-BEARER-ENV', outcome: 'disabled', reason: 'no --other-env-token' }),
  sampleResult({ engine: 'respect', id: 'copy-file', outcome: 'error', reason: HOSTILE }),
]);

test('JUnit: is well-formed and contains the evidence for failures', () => {
  const xml = reporters.junit(report);
  expect(XMLValidator.validate(xml)).toBe(true);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 forbids them
  expect(xml).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]|[\ud800-\udfff]/);
  const parser = new XMLParser({
    ignoreAttributes: false,
    isArray: (name) => name.startsWith('test'),
  });
  const [whole] = parser.parse(xml).testsuites;
  const counts = { '@_tests': '5', '@_failures': '1', '@_errors': '1', '@_skipped': '2' };
  expect(whole).toMatchObject(counts);
  const suites = whole.testsuite.map((suite: object) => Object(suite)['@_name']);
  expect(suites).toEqual(['Gateway', 'Authentication', 'Storage API', 'Workflows (Respect)']);
  const { failure } = whole.testsuite[0].testcase[1];
  expect(failure['#text']).toContain('curl -i');
  expect(failure['#text']).toContain('<script>alert');
});

test('JUnit: neither a known failure nor an unmet SHOULD fails a build', () => {
  const unmet = { ...failed, id: 'GW-C3', level: 'should' as const };
  const xml = reporters.junit(sampleReport([sampleResult(), failed, unmet], ['GW-C2']));
  expect(xml).toMatch(/<testsuites [^>]*failures="0" errors="0" skipped="2"/);
  expect(xml).toContain('known failure: must be attachment');
  expect(xml).toContain('an unmet SHOULD: must be attachment');
});

test('JSON: is valid against the CTRF schema and contains the complete report as extra', () => {
  const text = reporters.json(report);
  const content = JSON.parse(text);
  expect(validate(content)).toMatchObject({ valid: true });
  expect(content.results.summary).toMatchObject({
    ...{ tests: 5, passed: 1, failed: 1, skipped: 1, pending: 1, other: 1 },
  });
  const verdict = { exitCode: 1, seed: 7, verdict: 'breaks the contract' };
  expect(content.extra.berth).toMatchObject(verdict);
  expect(content.extra.berth.results).toHaveLength(5);
});

test('HTML: nothing from the target becomes markup, and each line of the description has its outcome', () => {
  const page = reporters.html(report);
  expect(page).not.toContain('<script>alert');
  expect(page).not.toContain('<script');
  expect(page).toContain('&lt;script&gt;alert(&quot;1&quot;)');
  expect(page).not.toMatch(/(src|href)="(?!#)/);
});

test('HTML: lists what to fix, with what fails for the same reasons', () => {
  const transaction = { id: 'gateway cloudrun-post 200', rules: ['GW-C2'] };
  const other = { ...failed, ...transaction, engine: 'dredd' as const };
  const known = { ...failed, id: 'GW-C1' };
  const sequence = { ...failed, id: 'ST-SEQUENCE', rules: ['ST-SEQUENCE'] };
  const page = reporters.html(sampleReport([failed, other, sequence, known], ['GW-C1']));
  const [, problems = ''] = /<h2>What to fix<\/h2>(.*?)<\/section>/s.exec(page) ?? [];
  expect(problems.match(/<li>/g)).toHaveLength(1);
  expect(problems).toMatch(/<li><a class="id" href="#GW-C2">.*must be attachment, not.*<\/ol>/s);
  expect(problems).toMatch(/Also fails: .*cloudrun-post 200.*<\/ol>/s);
  expect(problems).toMatch(/<code>POST http.*<\/code> returned 200, request ID <code>id-1</);
  expect(problems).toMatch(/<\/ol>.*These also fail, .*ST-SEQUENCE/s);
  expect(problems).not.toContain('GW-C1');
  expect(reporters.html(sampleReport([sampleResult()]))).not.toContain('What to fix');
});

test('the summary contains counts, verdict, deviations, seed and duration', () => {
  expect(toSummaryLine({ ...report, declared: ['flat responses'] })).toBe(
    '1 pass, 1 fail, 1 skip, 1 disabled, 1 error: breaks the contract · declared: flat responses · seed 7 · 1.5 s',
  );
});

test.each<[Outcome[], number]>([
  [['pass', 'disabled'], 0],
  [['pass', 'skip'], 3],
  [['pass', 'skip', 'error'], 4],
  [['pass', 'skip', 'error', 'fail'], 1],
])('the exit code is the first that applies: %j', (outcomes, exitCode) => {
  expect(sampleReport(outcomes.map((outcome) => sampleResult({ outcome }))).exitCode).toBe(
    exitCode,
  );
});

test('a known rule covers the workflow that fails with it, and one that nothing has is stale', () => {
  const rule = sampleResult({ id: 'GW-C2', outcome: 'fail' });
  const workflow = {
    ...rule,
    engine: 'respect' as const,
    id: 'copy-file',
    rules: ['GW-C2', 'GW-C1'],
  };
  expect(sampleReport([rule, workflow], ['GW-C2']).exitCode).toBe(0);
  expect(sampleReport([rule, workflow], ['GW-C2', 'upload-nothing']).exitCode).toBe(1);
});
