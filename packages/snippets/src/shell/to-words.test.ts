import { expect, test } from 'vitest';
import { toCommands } from './to-words.ts';

test.each([
  ['a b && c || d; e | f', [['a', 'b'], ['c'], ['d'], ['e'], ['f']]],
  ['curl -H \'A: b && c\' "x y"', [['curl', '-H', 'A: b && c', 'x y']]],
  ['A=1 B="2 3" run --x # the rest', [['run', '--x']]],
  ['TOKEN=$(npx berth-server token)', [['npx', 'berth-server', 'token']]],
  ['a > b.log 2>&1 &', [['a', '>', 'b.log', '2>&1']]],
  ['a \\\n  --b', [['a', '--b']]],
  ['echo $HOME/a\\ b', [['echo', '$HOME/a b']]],
])('%s', (line, commands) => expect(toCommands(line)).toEqual(commands));
