import { expect, test } from 'vitest';
import { findMissing } from '../src/run/check-page.ts';
import { toCommands } from '../src/shell/parse.ts';
import { skipReason } from '../src/shell/what-runs.ts';

test.each([
  ['a b && c || d; e | f', [['a', 'b'], ['c'], ['d'], ['e'], ['f']]],
  ['curl -H \'A: b && c\' "x y"', [['curl', '-H', 'A: b && c', 'x y']]],
  ['A=1 B="2 3" run --x # the rest', [['run', '--x']]],
  ['TOKEN=$(npx berth-server token)', [['npx', 'berth-server', 'token']]],
  ['a > b.log 2>&1 &', [['a', '>', 'b.log', '2>&1']]],
  ['a \\\n  --b', [['a', '--b']]],
  ['echo $HOME/a\\ b', [['echo', '$HOME/a b']]],
])('%s', (line, commands) => expect(toCommands(line)).toEqual(commands));

test.each([
  ['npx berth-mock --services ./services', undefined],
  ['npx @berth/conformance', 'a conformance run, which packages/conformance tests'],
  ['curl http://127.0.0.1:4010/', undefined],
  ['curl https://127.0.0.1.example/', 'calls 127.0.0.1.example'],
  ['docker run --rm image', 'needs containers'],
  ['npm test', 'a package.json script, which has its own tests'],
  ['npm install -g berth', 'a package.json script, which has its own tests'],
  ['node scripts/try.ts', 'a script in this repository, which has its own tests'],
  ['node mine.ts', undefined],
])('%s', (line, why) => expect(skipReason(toCommands(line)[0] ?? [])).toBe(why));

test.each([
  [['b', 'd'], 'a\nb\nc\nd\n', undefined],
  [['d', 'b'], 'a\nb\nc\nd\n', 'b'],
  [['b'], 'bb\n', 'b'],
  [['{"id":"…"}'], '{"id":"5f3a"}\n', undefined],
  [['{"a":[1,', ' 2]}', 'end'], '{"a":[1,2]}\nend\n', undefined],
  [[' ✓ a.test.ts (2 tests)', '', '…'], ' ✓ a.test.ts (2 tests) 23ms\n', undefined],
])('%j in %j', (shown, printed, missing) => expect(findMissing(shown, printed)).toBe(missing));
