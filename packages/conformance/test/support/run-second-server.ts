import { startFixture } from '../../fixture/server.mjs';
import { type ConformanceOptions, createConformance, type Report } from '../../src/index.ts';
import type { Choices } from '../second-server/choices.ts';
import { startSecondServer } from '../second-server/start-second-server.ts';

/** Runs the suite against the second server, with the fixture service behind it and all credentials. */
export async function runSecondServer(
  choices: Partial<Choices> = {},
  options: Partial<ConformanceOptions> = {},
): Promise<Report> {
  const fixture = await startFixture({ port: 0 });
  const server = await startSecondServer({ services: { conformance: fixture.url }, ...choices });
  const { gatewayUrl, gatewayHost, storageUrl, env, tc3, storageHeaders, forbiddenService } =
    server;
  const { token: gatewayToken, otherEnvToken, expiredToken } = server;
  try {
    return await createConformance({
      ...{ gatewayUrl, gatewayHost, storageUrl, env, tc3, storageHeaders, forbiddenService },
      ...{ gatewayToken, otherEnvToken, expiredToken },
      ...(choices.envelope === 'flat' ? { envelope: 'flat' } : {}),
      ...options,
    }).run();
  } finally {
    await server.close();
    await fixture.close();
  }
}
