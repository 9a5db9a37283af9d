/* biome-ignore-all lint/suspicious/noConsole: a script talks to the terminal */

import { createConformance } from '@berth/conformance';
import { startReference } from '../src/start-reference.ts';

/** Checks the reference server with the given rules, and prints every finding. */
const only = process.argv.slice(2);
const reference = await startReference();
try {
  const report = await createConformance({
    ...reference.options,
    only,
    onNotice: (text) => console.log(`note  ${text}`),
    onResult: ({ id, outcome, reason, findings, requests, durationMs }) => {
      if (outcome === 'disabled' && reason === 'not in --only') return;
      console.log(
        `${outcome.padEnd(8)} ${id} (${requests} requests, ${durationMs} ms) ${reason ?? ''}`,
      );
      for (const { message, request, response } of findings) {
        console.log(`  ${message}\n    ${request?.method} ${request?.url}`);
        console.log(
          `    ${response?.status} ${JSON.stringify(response?.headers)} ${response?.body.slice(0, 300)}`,
        );
      }
    },
  }).run();
  console.log(
    report.summary,
    `exit code ${report.exitCode}`,
    `${report.durationMs} ms`,
    report.leftovers,
  );
} finally {
  await reference.close();
}
