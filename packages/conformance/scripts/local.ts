/* biome-ignore-all lint/suspicious/noConsole: a script talks to the terminal */

import { createMock } from '@berth/mock';
import profile from '@berth/spec/wire-profiles/default.json' with { type: 'json' };
import { createConformance } from '../src/index.ts';
import { toLines } from '../src/report/to-lines.ts';
import { toSummary } from '../src/report/to-summary.ts';

/** Checks the mock of this repository. It forbids nothing and never fails, so 403 and 500 are asked for. */
await using mock = await createMock({ services: ['hello'] });
const { authorization, sessionToken, timestamp } = profile.storageHeaders;

const report = await createConformance({
  gatewayUrl: mock.gatewayUrl,
  storageUrl: mock.storageUrl,
  gatewayToken: 'local-token',
  storageHeaders: {
    [authorization]: '1.0 local',
    [sessionToken]: '',
    [timestamp]: String(Math.floor(Date.now() / 1000)),
  },
  preferCode: true,
  onResult: (result) => {
    for (const line of toLines(result)) console.log(line);
  },
}).run();

console.log(toSummary(report));
process.exitCode = report.exitCode;
