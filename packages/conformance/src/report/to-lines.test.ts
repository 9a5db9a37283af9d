import { expect, test } from 'vitest';
import { sampleResult } from '../../test/support/sample-report.ts';
import { toEvidenceText, toLines } from './to-lines.ts';

test('a failure is shown with its evidence, without control characters from a hostile body', () => {
  const finding = {
    message: 'the status must be 404, not 200',
    where: 'gateway.v1#/x',
    request: { method: 'POST', url: 'http://a/b', headers: { Accept: 'a/b' }, body: '{}' },
    response: {
      status: 200,
      headers: { 'content-type': 'text/plain' },
      body: `\u001b[2J${'x'.repeat(600)}`,
      bodyEncoding: 'utf-8' as const,
    },
  };
  const others = ['b', 'c', 'd', 'e'].map((message) => ({ message, where: '' }));
  const result = sampleResult({ outcome: 'fail', findings: [finding, ...others] });
  expect(toLines(result)).toEqual([
    'fail     GW-C1',
    '         contract The sentence.',
    '                  Endpoints › Gateway › header rules › C1; What the service does › Header changes; D8 (Content-Disposition)',
    '         found    the status must be 404, not 200',
    '                  gateway.v1#/x',
    '         sent     POST http://a/b',
    '                  Accept: a/b',
    '                  {}',
    '         came     200 text/plain',
    `                   [2J${'x'.repeat(496)} … (604 characters)`,
    '         repeat   curl -i --path-as-is --globoff -X POST \\',
    "                    -H 'Accept: a/b' \\",
    "                    -H 'Content-Type:' \\",
    "                    --data-raw '{}' \\",
    '                    http://a/b',
    '         found    b',
    '         found    c',
    '                  … and 2 more of this kind',
  ]);
});

test('a binary or truncated body is marked as such', () => {
  const request = { method: 'POST', url: 'http://a/b', headers: {} };
  const bytes = { ...request, body: 'AP8=', bodyEncoding: 'base64' as const };
  const long = { ...request, body: 'x'.repeat(600), bodySize: 70_000 };
  const findings = [bytes, long].map((sent) => ({ message: '', where: '', request: sent }));
  const lines = toLines(sampleResult({ outcome: 'fail', findings })).join('\n');
  expect(lines).toContain('  (base64) AP8=\n');
  expect(lines).toContain(`  ${'x'.repeat(500)} … (70000 bytes)\n`);
  const text = toEvidenceText(findings[1] ?? { message: '', where: '' });
  expect(text).toContain(`${'x'.repeat(600)}\n… (70000 bytes in total)\n`);
});
