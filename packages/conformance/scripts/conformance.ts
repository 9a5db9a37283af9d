/* biome-ignore-all lint/suspicious/noConsole: a script talks to the terminal */
// `npm run conformance`: checks the reference server and the mock, and prints what the command would print.

import { createConformance } from '../src/index.ts';
import { toText } from '../src/report/to-text.ts';
import { startMock } from '../test/targets/start-mock.ts';
import { startReference } from '../test/targets/start-reference.ts';

const targets = { 'reference server': startReference, mock: startMock };

for (const [name, start] of Object.entries(targets)) {
  const target = await start();
  const report = await createConformance({ ...target.options, onNotice: console.log }).run();
  await target.close();
  console.log([`The ${name}:`, ...toText(report, {}, (_, text) => text), ''].join('\n'));
  process.exitCode ||= report.exitCode;
}
