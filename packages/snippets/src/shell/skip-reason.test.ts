import { expect, test } from 'vitest';
import { skipReason } from './skip-reason.ts';
import { toCommands } from './to-words.ts';

test.each([
  ['npx berth-mock --services ./services', undefined],
  ['npx -p @berth/server-stubs berth-stubs init my-server', undefined],
  ['npx @berth/conformance --dry-run --gateway-url https://dev.gateway.example', undefined],
  ['npx @berth/conformance', 'a run of the suite: packages/proof has those'],
  ['curl http://127.0.0.1:4010/', undefined],
  ['curl https://127.0.0.1.example/', 'calls 127.0.0.1.example'],
  ['docker run --rm image', 'needs containers'],
  ['npm test', 'a script of a package.json: its own tests run it'],
  ['npm install -g berth', 'a script of a package.json: its own tests run it'],
  ['node scripts/try.ts', 'a script of the repository: its own tests run it'],
  ['node mine.ts', undefined],
])('%s', (line, why) => expect(skipReason(toCommands(line)[0] ?? [])).toBe(why));
