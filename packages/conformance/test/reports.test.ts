import { validate } from 'ctrf';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { expect, test } from 'vitest';
import { type KnownFailure, toSettings } from '../src/options.ts';
import { toText } from '../src/report/to-text.ts';
import { createReport, toResult } from '../src/report/verdict.ts';
import type { Finding, Outcome, Result, SentenceResult } from '../src/results/result.ts';
import { reporters } from '../src/run-cli.ts';

type Sample = Partial<Result>;

/** A GW-C1 result that passed, with the given changes. */
const sampleResult = (changes: Sample = {}) => ({
  engine: 'rules' as const,
  id: 'GW-C1',
  level: 'must' as const,
  outcome: 'pass' as const,
  findings: [],
  notes: [],
  sentences: [],
  durationMs: 12,
  ...changes,
});

function sampleReport(samples: ReturnType<typeof sampleResult>[], known: KnownFailure[] = []) {
  const started = new Date('2026-01-02T03:04:05.000Z');
  const settings = toSettings({ known, seed: 7, gatewayUrl: 'http://gateway.example' });
  const results = samples.map((sample) => {
    const { rules = [sample.id], engine, id, level, ...ended } = sample as Sample & typeof sample;
    const ofCase = { engine, id, level, api: 'gateway' as const, statement: 'The sentence.' };
    return { ...toResult(settings, started, { case: ofCase, ...ended }), rules };
  });
  const report = createReport(settings, started, results, {
    targets: [
      { api: 'gateway', url: 'http://gateway.example', contract: 'gateway.v1', version: '1.0.0' },
      { api: 'storage', url: 'http://storage.example', contract: 'storage.v2', version: '2.0.0' },
    ],
    calls: 42,
    leftovers: [],
  });
  return { ...report, durationMs: 1500 };
}

const textOf = (...samples: ReturnType<typeof sampleResult>[]) =>
  toText(sampleReport(samples), {}, (_, word) => word).join('\n');

const HOSTILE = `<script>alert("1")</script> & ']]> --> \u0000\u001b[2J\ud800 \r\n end`;

const finding: Finding = {
  message: `must be attachment, not ${HOSTILE}`,
  where: 'gateway.v1#/x',
  request: { method: 'POST', url: 'http://a.example/x', headers: { A: HOSTILE }, body: HOSTILE },
  response: {
    status: 200,
    body: HOSTILE.repeat(40),
    headers: { b: [HOSTILE, 'c'], 'x-request-id': 'id-1' },
  },
};
const failed = sampleResult({
  id: 'GW-C2',
  outcome: 'fail',
  findings: [finding],
  notes: [HOSTILE],
  sentences: [{ sentence: 'GW-C2', outcome: 'fail', scope: { violations: 2, responses: 61 } }],
});
const report = sampleReport([
  sampleResult(),
  failed,
  sampleResult({ id: 'AU-BEARER-ENV', outcome: 'disabled', reason: 'no --other-env-token' }),
  sampleResult({ id: 'ST-META-CALL', outcome: 'skip', reason: HOSTILE }),
  sampleResult({ engine: 'respect', id: 'copy-file', outcome: 'error', reason: HOSTILE }),
]);
const evidence = (text: string) => {
  expect(text).toMatch(/^contract +The sentence\.$/m);
  expect(text).toContain('must be attachment, not <script>alert("1")</script>');
  expect(text).toMatch(/^scope +2 of 61 responses$/m);
  expect(text).toMatch(/^repeat +npx @berth\/conformance --only GW-C2 --seed 7 /m);
  expect(text).toMatch(/… \(\d{4} characters in total\)$/m);
};

test('JUnit: is well-formed and contains the evidence for failures', () => {
  const xml = reporters.junit(report);
  expect(XMLValidator.validate(xml)).toBe(true);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 forbids them
  expect(xml).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]|[\ud800-\udfff]/);
  const isArray = (name: string) => name.startsWith('test');
  const [root] = new XMLParser({ ignoreAttributes: false, isArray }).parse(xml).testsuites;
  const counts = { '@_tests': '6', '@_failures': '2', '@_errors': '1', '@_skipped': '2' };
  expect(root).toMatchObject(counts);
  const suites = root.testsuite.map((suite: object) => Object(suite)['@_name']);
  const areas = ['Gateway', 'Authentication', 'Storage API', 'Workflows (Respect)'];
  expect(suites).toEqual([...areas, 'Verdict']);
  evidence(root.testsuite[0].testcase[1].failure['#text']);
});

const post = { method: 'POST', url: 'http://a.example/', headers: {} };

test('a command that is too long to paste is replaced by one of the suite', () => {
  const long = { ...finding, request: { ...post, body: 'a'.repeat(2000) } };
  const page = reporters.html(sampleReport([{ ...failed, findings: [long] }]));
  expect(page).toMatch(/^repeat +npx @berth\/conformance --only GW-C2 /m);
});

test('the title of the page names each target once', () => {
  const title = '<title>Conformance of http://gateway.example and http://storage.example</title>';
  expect(reporters.html(report)).toContain(title);
  const targets = [...report.targets, ...report.targets];
  expect(reporters.html({ ...report, targets })).toContain(title);
});

test('the size of a body that the report does not contain completely is in bytes', () => {
  const sized = { ...finding, request: { ...post, body: 'é'.repeat(600), bodySize: 20_480 } };
  const page = reporters.html(sampleReport([{ ...failed, findings: [sized] }]));
  expect(page).toContain('é … (20480 bytes in total)');
});

test('neither a known failure nor a failed SHOULD fails a build', () => {
  const should = sampleResult({ ...failed, id: 'GW-C3', level: 'should' });
  const known = [{ id: 'GW-C2', reason: 'ticket 7' }];
  const excused = sampleReport([sampleResult(), failed, should], known);
  const { summary } = JSON.parse(reporters.json(excused)).results;
  expect(summary).toMatchObject({ tests: 3, passed: 1, failed: 0, skipped: 2 });
  const xml = reporters.junit(excused);
  expect(xml).toMatch(/<testsuites [^>]*failures="0" errors="0" skipped="2"/);
  expect(xml).toMatch(/<skipped message="fail \(MUST, known: ticket 7\): must be attachment/);
  expect(xml).toMatch(/fail \(SHOULD\): must be attachment.*<system-out>.*^request +POST /ms);
});

test('JSON: is valid against the CTRF schema and contains the complete report as extra', () => {
  const content = JSON.parse(reporters.json(report));
  expect(validate(content)).toMatchObject({ valid: true });
  const summary = { tests: 5, passed: 1, failed: 1, skipped: 1, pending: 1, other: 1 };
  expect(content.results.summary).toMatchObject(summary);
  evidence(content.results.tests[1].trace);
  expect(content.extra.berth).toMatchObject({ exitCode: 1, seed: 7, verdict: report.verdict });
  const [{ response }] = content.extra.berth.results[1].findings;
  expect(response.body).toHaveLength(HOSTILE.length * 40);
});

test('text: the failures come first, without what a terminal would interpret, and the verdict last', () => {
  const leftovers = Array.from({ length: 12 }, (_, index) => `folder/${index}.txt`);
  const lines = toText({ ...report, leftovers }, {}, (_, text) => text);
  expect(lines[0]).toBe('fail      GW-C2');
  expect(lines.slice(-9, -7)).toEqual(['  folder/9.txt', '  … 2 more: see --report html=FILE']);
  evidence(lines.map((line) => line.slice(10)).join('\n'));
  expect(lines.join('')).not.toMatch(/\p{Cc}/u);
  expect(lines.slice(-7)).toEqual([
    '1 of 4 rules, 0 of 1 workflows passed',
    expect.stringMatching(/^1 workflow ended with an error: <script>.* \(copy-file\)$/),
    expect.stringMatching(/^1 rule skipped: <script>/),
    '1 rule disabled (optional): no --other-env-token (AU-BEARER-ENV)',
    'seed 7, 42 calls, 1.5 s',
    '',
    'breaks the contract: 1 rule failed, 2 of 4 rules checked',
  ]);
});

test('HTML: lists first what to fix, ordered by how much else fails for the same reasons', () => {
  const id = 'gateway cloudrun-post 200 text/plain';
  const transaction = { id, engine: 'dredd' as const, rules: ['GW-C2'] };
  const known = sampleResult({ ...failed, id: 'GW-C1', rules: ['GW-C1'] });
  const storage = sampleResult({ ...failed, id: 'ST-COPY-ALONE', rules: ['ST-COPY-ALONE'] });
  const sequence = sampleResult({ ...failed, id: 'ST-SEQUENCE', rules: ['ST-SEQUENCE'] });
  const alone = sampleResult({ ...failed, id: 'GW-BODY' });
  const should = sampleResult({ ...failed, id: 'GW-C3', level: 'should' });
  const results = [should, alone, failed, { ...failed, ...transaction }, storage, sequence, known];
  const page = reporters.html(sampleReport(results, [{ id: 'GW-C1', reason: 'ticket 7' }]));
  const [, problems = ''] = /<h2>What to fix<\/h2>(.*?)<h2>/s.exec(page) ?? [];
  const ids = [...problems.matchAll(/<li id="(.*?)"/g)].map(([, name]) => name);
  expect(ids).toEqual(['GW-C2', 'ST-COPY-ALONE', 'GW-BODY', 'GW-C3']);
  expect(problems).toMatch(/<li id="GW-C2">.*must be attachment, not.*2 of 61 responses.*<\/ol>/s);
  expect(problems).toMatch(/Also fails, .*cloudrun-post 200 .*<\/ol>/s);
  expect(problems).toMatch(/request +POST http.*response +200\n.*x-request-id: id-1/s);
  expect(problems).toMatch(/id="ST-COPY-ALONE">.*Also fails, .*ST-SEQUENCE/s);
  expect(problems).not.toContain('GW-C1');
  expect(page).toContain('GW-C1: ticket 7');
});

test('text: a failure is shown unless a MUST that is shown explains it', () => {
  const should = sampleResult({ ...failed, id: 'ST-PRESENT', level: 'should' });
  const gateway = sampleResult({ ...failed, id: 'GW-C1' });
  const rules = [should.id];
  const workflow = sampleResult({ ...failed, engine: 'respect', id: 'copy-file', rules });
  const sequence = sampleResult({ ...failed, id: 'ST-SEQUENCE' });
  const credentials = sampleResult({ ...failed, id: 'AU-STORAGE-ENV' });
  const text = textOf(should, gateway, workflow, sequence, credentials);
  for (const id of ['GW-C1', 'copy-file', 'ST-SEQUENCE'])
    expect(text).toMatch(new RegExp(`^fail {6}${id}$`, 'm'));
  expect(text).not.toContain('for the same reason');
  expect(text).toMatch(/^fail +GW-C1$.*^fail +ST-PRESENT /ms);
});

test('text: calls that are rejected alike are one problem, and other faults in an error response are not', () => {
  const response = { status: 500, headers: {}, body: '' };
  const find = (sentence: string, isRejection = true) => [
    { ...finding, message: 'must be 200', isRejection, response, sentence },
  ];
  const rule = sampleResult({ ...failed, findings: [...find('GW-C2/1'), ...find('GW-C2/2')] });
  const others = ['GW-C3', 'ST-PATH', 'ST-INVALID', 'ST-COPY-CALL'].map((id) =>
    sampleResult({ id, outcome: 'fail', findings: find(id) }),
  );
  const text = textOf(rule, ...others);
  expect(text.match(/^fail /gm)).toHaveLength(1);
  expect(text.match(/^ +request /gm)).toHaveLength(1);
  expect(text).toMatch(/^ +also +GW-C2\/2: must be 200$/m);
  const also = /^ +also +4 more, probably for the same reason: .*: see --report html=FILE$/m;
  expect(text).toMatch(also);
  const pair = ['GW-BODY', 'GW-HEADERS'].map((id) =>
    sampleResult({ id, outcome: 'fail', findings: find(id, false) }),
  );
  expect(textOf(...pair).match(/^fail /gm)).toHaveLength(2);
});

test('text: a rule with many sources names the operation and its document instead', () => {
  const request = { ...post, url: 'http://a/api/v2/envs/dev/storages:batchDelete', body: '' };
  const findings = [{ ...finding, where: 'storage.v2 #/components', request }];
  const text = textOf(sampleResult({ ...failed, id: 'ST-RESPONSE', findings }));
  expect(text).toMatch(/contract +The sentence\.\n +batchDelete in storage\.v2\n/);
});

test('text: if several operations violate a sentence, each message names its operations', () => {
  const [a, b, c] = ['batchDelete', 'batchCopyFile', 'batchDelete'].map((operation, index) => {
    const request = { ...post, url: `http://a/api/v2/envs/dev/storages:${operation}`, body: '' };
    return { ...finding, message: index < 2 ? 'same' : 'other', request, example: '{"body":{}}' };
  }) as [Finding, Finding, Finding];
  const textWith = (findings: Finding[]) => textOf(sampleResult({ ...failed, findings }));
  const found =
    / found +same \(batchDelete, batchCopyFile\)\n +other \(batchDelete\)\n.*\n +example +\{"body":\{\}\}\n/;
  expect(textWith([a, b, c])).toMatch(found);
  expect(textWith([a, c])).toMatch(/ found +same\n +other\n/);
});

test.each<[Outcome, KnownFailure[], RegExp]>([
  ['pass', [{ id: 'GW-C1' }], /failures="1".*<failure message="the list of known failures is/s],
  ['skip', [], /errors="1".*<error message="inconclusive: /s],
  ['pass', [], /failures="0" errors="0"/],
])('JUnit: a build fails if the run does: %s, with %j known', (outcome, known, expected) => {
  expect(reporters.junit(sampleReport([sampleResult({ outcome })], known))).toMatch(expected);
});

test('text: a rule that was checked only partly is not counted as followed, and the reason is shown', () => {
  const sentences: SentenceResult[] = [
    { sentence: 'ST-REQUEST/1', outcome: 'pass' },
    { sentence: 'ST-REQUEST/3', outcome: 'disabled', reason: 'no second form' },
  ];
  const partly = sampleResult({ id: 'ST-REQUEST', sentences, notes: ['Another note.'] });
  const text = textOf(sampleResult(), partly);
  expect(text).toMatch(/^follows what was checked: 2 of 2 rules, 1 only partly$/m);
  expect(text).toMatch(/^ {2}ST-REQUEST\/3 was not checked: no second form$/m);
  expect(text).not.toContain('Another note.');
});

test('HTML: nothing from the target becomes markup, and nothing is loaded', () => {
  const page = reporters.html(report);
  expect(page).not.toContain('<script');
  expect(page).toContain('&lt;script&gt;alert(&quot;1&quot;)');
  expect(page).not.toMatch(/(src|href)="(?!#)/);
  const id = 'storage batchDelete 200 application/json';
  const ofDredd = reporters.html(sampleReport([{ ...failed, engine: 'dredd', id }]));
  expect(ofDredd).toMatch(/ id="(\S+)".* href="#\1"/s);
  expect(reporters.html(sampleReport([sampleResult()]))).not.toContain('What to fix');
});

test.each<[Outcome[], number, string]>([
  [['pass', 'pass'], 0, 'follows the contract: 2 of 2 rules'],
  [['pass', 'disabled'], 0, 'follows what was checked: 1 of 2 rules'],
  [['disabled'], 2, 'inconclusive: 0 of 1 rules checked'],
  [['pass', 'skip'], 2, 'inconclusive: 1 of 2 rules checked'],
  [['pass', 'error'], 2, 'inconclusive: 1 of 2 rules checked'],
  [['skip', 'error', 'fail'], 1, 'breaks the contract: 1 rule failed, 1 of 3 rules checked'],
])('exit code and verdict of %j', (outcomes, exitCode, verdict) => {
  const results = outcomes.map((outcome) => sampleResult({ outcome, findings: [finding] }));
  expect(sampleReport(results)).toMatchObject({ exitCode, verdict });
});

const first = { ...finding, sentence: 'GW-C2/1' };
const second = { ...finding, sentence: 'GW-C2/2' };

test.each<[string, string[], Finding[], number]>([
  ['its rule', ['GW-C2'], [first, second], 0],
  ['its sentences', ['GW-C2/1', 'GW-C2/2'], [first, second], 0],
  ['only one of its sentences', ['GW-C2/1'], [first, second], 1],
  ['its sentence, and one that is fixed', ['GW-C2/1', 'GW-C2/2'], [first], 1],
])('a failure of a rule and a transaction with %s known', (_, ids, findings, exitCode) => {
  const sentences: SentenceResult[] = [
    { sentence: 'GW-C2/1', outcome: 'fail' },
    { sentence: 'GW-C2/2', outcome: findings.includes(second) ? 'fail' : 'pass' },
  ];
  const rule = sampleResult({ ...failed, findings, sentences });
  const id = 'gateway cloudrun-get 200 text/plain';
  const transaction = sampleResult({ ...rule, engine: 'dredd', id });
  const known = ids.map((id) => ({ id }));
  expect(sampleReport([rule, transaction], known).exitCode).toBe(exitCode);
});

test('a SHOULD affects no exit code, even if it is skipped and a known failure', () => {
  const should = sampleResult({ id: 'GW-C3', level: 'should', outcome: 'skip' });
  const { exitCode, results } = sampleReport([sampleResult(), should], [{ id: 'GW-C3' }]);
  expect([exitCode, results]).toMatchObject([0, [{ counts: true }, { counts: false }]]);
});

test('a failure without findings is not known', () => {
  const result = sampleResult({ outcome: 'fail' });
  const { exitCode, known } = sampleReport([result], [{ id: result.id }]);
  expect([exitCode, known.failures]).toEqual([1, []]);
});

test.each<[Outcome, SentenceResult[], verdict: string]>([
  ['pass', [], 'follows the contract, except for known failures: 2 of 2 rules, 1 known to fail'],
  [
    'pass',
    [{ sentence: 'GW-C2/2', outcome: 'disabled', reason: 'no forms' }],
    'follows what was checked, except for known failures: 2 of 2 rules',
  ],
  ['disabled', [], 'follows what was checked, except for known failures: 1 of 2 rules'],
])('the verdict on a known failure next to a %s, with %j', (outcome, sentences, verdict) => {
  const results = [sampleResult({ outcome }), { ...failed, sentences }];
  const report = sampleReport(results, [{ id: 'GW-C2' }]);
  expect(report).toMatchObject({ exitCode: 0, verdict: expect.stringContaining(verdict) });
});
