/* biome-ignore-all lint/suspicious/noConsole: a script talks to the terminal */

import { createConformance } from '../src/index.ts';
import { startMock } from '../test/targets/start-mock.ts';
import { startReference } from '../test/targets/start-reference.ts';

const started = performance.now();
const targets = [
  { name: 'reference server', start: startReference },
  { name: 'mock', start: startMock },
];

/** Checks the reference server and the mock, and prints a summary line for each. */
const lines: string[] = [];
for (const { name, start } of targets) {
  const target = await start();
  try {
    const { summary, exitCode, durationMs, calls, results, leftovers } = await createConformance({
      ...target.options,
      onNotice: (text) => console.log(`note  ${text}`),
    }).run();
    for (const { id, outcome, reason, findings } of results) {
      if (outcome === 'pass') continue;
      console.log(`${outcome} ${id} of the ${name}: ${reason ?? ''}`);
      for (const { message } of findings) console.log(`      ${message}`);
    }
    for (const file of leftovers) console.log(`left over at the ${name}: ${file}`);
    const counts = Object.entries(summary).map(([key, count]) => `${count} ${key}`);
    lines.push(
      `${name}: ${counts.join(', ')}, ${calls} calls in ${(durationMs / 1000).toFixed(1)} s`,
    );
    process.exitCode ||= exitCode || Math.min(leftovers.length, 1);
  } finally {
    await target.close();
  }
}
const seconds = ((performance.now() - started) / 1000).toFixed(1);
console.log([...lines, `both in ${seconds} s`].join('\n'));
