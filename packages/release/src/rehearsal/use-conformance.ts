import { generateKeyPairSync } from 'node:crypto';
import type { Project } from './create-projects.ts';
import type { Running } from './run-command.ts';

const PAIR = { id: 'rehearsal', secret: 'the secret of the key pair of a rehearsal' };

/** Checks the server with the suite, in folders where they are installed, with its fixture service behind it. */
export async function useConformance(server: Project, suite: Project): Promise<string> {
  const running: Running[] = [];
  try {
    const fixture = await suite.start(
      /listens on (http:\S+)/,
      ...['npx', 'berth-conformance', 'fixture', '--port', '0'],
    );
    running.push(fixture);
    configure(server, fixture.found);
    await server.run('npx', 'berth-server', 'check-config', 'berth.json');
    const served = await server.start(
      /"url":"(http:[^"]+)"[^\n]*"msg":"listening"/,
      ...['npx', 'berth-server', '--config', 'berth.json'],
    );
    running.push(served);
    const mint = async (env: string) =>
      (await server.run('npx', 'berth-server', 'token', '--key', 'key.json', '--env', env)).trim();
    suite.write(
      'conformance.json',
      JSON.stringify({
        gatewayUrl: served.found,
        gatewayHost: 'dev.gateway.example',
        storageUrl: served.found,
        gatewayToken: await mint('dev'),
        otherEnvToken: await mint('other'),
        forbiddenService: 'forbidden',
        tc3SecretId: PAIR.id,
        tc3SecretKey: PAIR.secret,
      }),
    );
    const output = await suite.run(
      ...['npx', 'berth-conformance', '--config', 'conformance.json', '--failed-only'],
    );
    return output.trim().split('\n').at(-1) ?? '';
  } finally {
    for (const one of running.reverse()) await one.stop();
  }
}

/** A server of two environments, as in its README. */
function configure(server: Project, fixtureUrl: string): void {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const mark = { alg: 'ES256', kid: 'rehearsal' };
  const jwks = { keys: [{ ...publicKey.export({ format: 'jwk' }), ...mark }] };
  server.write('key.json', JSON.stringify({ ...privateKey.export({ format: 'jwk' }), ...mark }));
  server.write('jwks.json', JSON.stringify(jwks));
  const endpoints = [fixtureUrl];
  const environment = {
    tokens: { jwks: './jwks.json' },
    services: { conformance: { endpoints }, forbidden: { endpoints, state: 'forbidden' } },
  };
  server.write(
    'berth.json', // JSON is YAML
    JSON.stringify({
      listen: { port: 0 },
      admin: { port: 0 },
      store: { driver: 'file', root: './files' },
      keys: [{ secret: 'a key that signs the links and grants of a rehearsal' }],
      environments: {
        dev: { ...environment, credentials: [PAIR] },
        other: { ...environment, credentials: [] },
      },
    }),
  );
}
