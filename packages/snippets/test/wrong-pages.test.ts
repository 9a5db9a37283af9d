import { expect, test } from 'vitest';
import { testOn } from '../../../scripts/testing/engines.ts';
import { readPage } from '../src/page.ts';
import { checkText } from './check-text.ts';

const fence = (lang: string, ...lines: string[]) =>
  [`\`\`\`${lang}`, ...lines, '```', ''].join('\n');

/** A mistake in each class of blocks, and its message. */
const SLIPS: [what: string, page: string, said: RegExp][] = [
  [
    'a script that throws',
    fence('ts', "throw new Error('no');"),
    /^page\.md:2: exited with 1:.*line-2\.ts:2\b/s,
  ],
  [
    'a test that fails',
    fence('ts', "import { expect, test } from 'vitest';", "test('a', () => expect(1).toBe(2));"),
    /^page\.md:2: exited with 1:.*expected 1 to be 2/s,
  ],
  [
    'a command that fails',
    fence('sh', 'ls', 'cat missing'),
    /^page\.md:3: exited with 1 instead of 0/,
  ],
  [
    'a command that does not end as its note says',
    `<!-- exits: 2 -->\n${fence('sh', 'ls')}`,
    /^page\.md:3: exited with 0 instead of 2/,
  ],
  [
    'a different output',
    fence('console', '$ echo one', 'two'),
    /^page\.md:2: did not print: two\nbut:\none/,
  ],
  ['a command that cannot be parsed', fence('sh', "echo 'open"), /^page\.md:2: .*[Uu]nterminated/],
  ['an unknown command', fence('sh', 'frobnicate'), /unknown command frobnicate/],
  [
    'an option that is none, though the call goes elsewhere',
    fence('sh', 'npx @berth/conformance --gateway-url https://a.example --fast'),
    /^page\.md:2: @berth\/conformance has no option --fast/,
  ],
  [
    'an option of a command within that is none',
    `<!-- not run: for this test -->\n${fence('sh', 'npx berth cp a remote:/a --fast')}`,
    /berth has no option --fast/,
  ],
  [
    'a package that the pages do not have',
    fence('sh', 'npm install left-pad'),
    /left-pad is not available/,
  ],
  ['JSON that is none', fence('json', '{ "a": }'), /^page\.md:2: .*JSON/],
  ['JSON with comments that is none', fence('jsonc', '{ "a": } // b'), /^page\.md:2: /],
  ['YAML that is none', fence('yaml', 'a: [1'), /^page\.md:2: /],
  [
    'a setting that is none',
    fence('yaml', '# berth.yaml', 'environmens: {}'),
    /^page\.md:2: .*must NOT have additional properties/,
  ],
  [
    'a schema that no package has',
    fence('json', '{ "$schema": "node_modules/@berth/server/none.schema.json" }'),
    /^page\.md:2: ENOENT/,
  ],
  ['a language that is none', fence('typescript', 'a'), /^page\.md:2: unknown language/],
  [
    'an output that nothing has printed',
    `${fence('sh', 'echo one')}\n<!-- printed -->\n${fence('text', 'two')}`,
    /^page\.md:7: did not print: two/,
  ],
];

test.concurrent.for(SLIPS)('%s is found', async ([, page, said], { expect: own }) => {
  const { faults, outcomes } = await checkText(page);
  own(faults).toHaveLength(1);
  own(faults[0]).toMatch(said);
  own(outcomes.at(-1)?.class).toBe('wrong');
});

testOn('curl')('a call that is refused is found', async () => {
  const { faults } = await checkText(fence('sh', 'curl http://127.0.0.1:4010/v1/cloudrun/hello'));
  expect(faults).toEqual([
    expect.stringMatching(/^page\.md:2: exited with 22 instead of 0:.*MISSING_CREDENTIALS/s),
  ]);
});

test('a script that does not compile is found, with its line on the page', async () => {
  const page = [
    fence('ts', "import { bearer } from '@berth/client';", 'export const auth = bearer(1);'),
    '<!-- continues -->',
    fence('ts', 'const other: string = auth;'),
    fence('js', 'export const a = missing;'),
    '<!-- not run: Node knows no JSX -->',
    fence('tsx', 'export const b = <p>{missing}</p>;'),
  ].join('\n');
  const { types } = await checkText(page);
  expect(types.map((text) => text.split(':').slice(0, 3).join(':')).sort()).toEqual([
    'page.md:12: TS2304',
    'page.md:17: TS2304',
    'page.md:3: TS2345',
    'page.md:8: TS2322',
  ]);
});

test('an invalid note is found', () => {
  expect(() => readPage('page.md', `<!-- continue -->\n\n${fence('ts', 'a')}`)).toThrow(
    'unknown note: <!-- continue -->',
  );
});
