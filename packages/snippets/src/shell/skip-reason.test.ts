import { expect, test } from 'vitest';
import { skipReason } from './skip-reason.ts';
import { toCommands } from './to-words.ts';

test.each([
  ['npx berth-mock --services ./services', undefined],
  ['npx -p @berth/server-stubs berth-stubs init my-server', undefined],
  ['npx @berth/conformance --dry-run --gateway-url https://dev.gateway.example', undefined],
  ['npx @berth/conformance', 'a conformance run, which packages/proof tests'],
  ['curl http://127.0.0.1:4010/', undefined],
  ['curl https://127.0.0.1.example/', 'calls 127.0.0.1.example'],
  ['docker run --rm image', 'needs containers'],
  ['npm test', 'a package.json script, which has its own tests'],
  ['npm install -g berth', 'a package.json script, which has its own tests'],
  ['node scripts/try.ts', 'a script in this repository, which has its own tests'],
  ['node mine.ts', undefined],
])('%s', (line, why) => expect(skipReason(toCommands(line)[0] ?? [])).toBe(why));
