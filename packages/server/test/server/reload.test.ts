import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ConfigError, type EnvironmentConfig } from '../../src/config/config.ts';
import { resolveConfig } from '../../src/config/resolve-config.ts';
import { StorageClient } from '../break-ins/support/storage-client.ts';
import { Cli } from './support/cli.ts';
import { startService } from './support/hosted-service.ts';
import { makeFolder, startServer } from './support/start-server.ts';

const KEY = 'k'.repeat(32);

interface Setup {
  readonly secret: string;
  readonly extra?: string;
  readonly environment?: string;
}

const yaml = ({ secret, extra = '', environment = '' }: Setup) => `${extra}
listen: { port: 0 }
admin: { port: 0 }
keys: [{ secret: ${KEY} }]
environments:
  dev:
    credentials: [{ id: me, secret: ${secret} }]
    ${environment}
`;

async function replaceFile(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
}

async function storageStatus(url: string, secret: string, env = 'dev'): Promise<number> {
  const client = new StorageClient(url, { id: 'me', secret }, env);
  return (await client.call('batchDelete', '{"fileList":[]}')).status;
}

test('applies a changed file while the server runs', async () => {
  const folder = await makeFolder({ 'berth.yaml': yaml({ secret: 'first-secret' }) });
  const file = join(folder, 'berth.yaml');
  const cli = new Cli(folder, ['--config', 'berth.yaml']);
  const { url } = await cli.listening();
  expect(await storageStatus(url, 'first-secret')).toBe(200);

  await replaceFile(file, yaml({ secret: 'second-secret', environment: 'bucket: other' }));
  await cli.line('reloaded the configuration');
  expect(await storageStatus(url, 'second-secret')).toBe(200);
  expect(await storageStatus(url, 'first-secret')).toBe(401);

  await replaceFile(file, yaml({ secret: 'third-secret', extra: 'typo: 1' }));
  const refused = await cli.line('cannot use the new configuration; keeping the old one');
  expect(refused).toMatchObject({
    level: 'error',
    err: {
      message:
        'berth.yaml:1:1: typo is not a setting; the settings here are: ' +
        (refused.err as { message: string }).message.split('settings here are: ')[1],
    },
  });
  expect(await storageStatus(url, 'second-secret')).toBe(200);

  await replaceFile(
    file,
    yaml({ secret: 'third-secret', extra: 'publicUrl: http://a.example' }).replace(
      'port: 0 }\nadmin',
      'port: 0, maxHeaderBytes: 2048 }\nadmin',
    ),
  );
  await cli.line('reloaded the configuration', 2);
  expect(await cli.line('these changes need a restart')).toMatchObject({ settings: ['listen'] });
  expect(await storageStatus(url, 'third-secret')).toBe(200);
  expect(cli.stdout).not.toMatch(/(first|second|third)-secret/);
});

test('SIGHUP reloads the configuration immediately, even if the file has not changed', async () => {
  const folder = await makeFolder({ 'berth.yaml': yaml({ secret: 'first-secret' }) });
  const cli = new Cli(folder, ['--config', 'berth.yaml']);
  const { url } = await cli.listening();
  cli.child.kill('SIGHUP');
  await cli.line('reloaded the configuration');
  await writeFile(join(folder, 'berth.yaml'), 'typo: 1');
  cli.child.kill('SIGHUP');
  await cli.line('cannot use the new configuration; keeping the old one');
  expect(await storageStatus(url, 'first-secret')).toBe(200);
});

test('a reload does not run modules again that are preloaded, such as an OpenTelemetry SDK', async () => {
  const folder = await makeFolder({
    'berth.yaml': yaml({ secret: 'first-secret' }),
    'once.mjs': `import { existsSync, writeFileSync } from 'node:fs';
      if (existsSync('ran')) throw new Error('ran twice');
      writeFileSync('ran', '');`,
  });
  const preload = { NODE_OPTIONS: `--import ${join(folder, 'once.mjs')}` };
  const cli = new Cli(folder, ['--config', 'berth.yaml'], preload);
  await cli.listening();
  await replaceFile(join(folder, 'berth.yaml'), yaml({ secret: 'second-secret' }));
  await cli.line('reloaded the configuration');
});

test('watches the file of a secret too', async () => {
  const folder = await makeFolder({
    'berth.yaml': yaml({ secret: 'unused' }).replace('secret: unused', 'secretFile: my.secret'),
    'my.secret': 'first-secret',
  });
  const cli = new Cli(folder, ['--config', 'berth.yaml']);
  const { url } = await cli.listening();
  expect(await storageStatus(url, 'first-secret')).toBe(200);
  await replaceFile(join(folder, 'my.secret'), 'second-secret\n');
  await cli.line('reloaded the configuration');
  expect(await storageStatus(url, 'second-secret')).toBe(200);
});

test('environments, services, quotas and CORS change; a call in flight finishes with the old ones', async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const slow = await startService(async (_, response) => {
    response.write('begun ');
    await held;
    response.end('ended');
  });
  const quick = await startService((_, response) => response.end('quick'));
  const { server, config, call, url } = await startServer(
    {},
    { services: { hello: { endpoints: [slow] } } },
  );
  const underWay = await call();
  const { dev } = config.environments as { dev: object };
  const restarts = await server.reload({
    ...config,
    cors: { origins: ['https://app.example'] },
    environments: {
      dev: {
        ...dev,
        services: { hello: { endpoints: [quick] } },
        quota: { callsPerSecond: 0.01, burst: 2 },
      },
    },
  });
  expect(restarts).toEqual([]);
  const next = await call('', { headers: { origin: 'https://app.example' } });
  expect(await next.text()).toBe('quick');
  expect(next.headers.get('access-control-allow-origin')).toBe('https://app.example');
  expect((await call()).status).toBe(200);
  const third = await call();
  expect([third.status, await third.json()]).toMatchObject([429, { code: 'EXCEED_RATELIMIT' }]);
  release();
  expect(await underWay.text()).toBe('begun ended');

  const qa = { credentials: [{ id: 'me', secret: 'qa-secret' }] };
  await server.reload({ ...config, environments: { dev, qa } });
  expect(await storageStatus(url, 'qa-secret', 'qa')).toBe(200);
  await server.reload({ ...config, environments: { dev } });
  expect(await storageStatus(url, 'qa-secret', 'qa')).toBe(401);
});

test('a reload only rebuilds the services that have changed', async () => {
  const one = (port: number) => ({ endpoints: [`http://10.0.0.1:${port}`] });
  const base = { keys: [{ secret: KEY }], environments: { dev: { services: {} } } };
  const withServices = (services: object) => ({ ...base, environments: { dev: { services } } });
  const first = await resolveConfig(withServices({ aa: one(1), bb: one(2), cc: one(3) }));
  const next = withServices({ bb: one(2), cc: one(4), dd: one(3), 'e/': one(5) });
  await expect(resolveConfig(next, undefined, first.config)).rejects.toThrow(
    'environments.dev.services.e/',
  );
  const second = await resolveConfig(
    withServices({ bb: one(2), cc: one(4), dd: one(3) }),
    undefined,
    first.config,
  );
  const { services: before } = first.config.environments.dev as EnvironmentConfig;
  const { services: after } = second.config.environments.dev as EnvironmentConfig;
  expect(Object.keys(after).sort()).toEqual(['bb', 'cc', 'dd']);
  expect(after.bb).toBe(before.bb);
  expect(after.cc).toEqual({ ...before.cc, endpoints: ['http://10.0.0.1:4'] });
  const third = await resolveConfig(withServices({ cc: one(4) }), undefined, second.config);
  expect(third.config.environments.dev?.services).toEqual({ cc: after.cc });
  const endless: Record<string, unknown> = {};
  endless.self = endless;
  const services = { cc: endless };
  for (const broken of [
    { dev: null },
    { dev: { services: [] } },
    { dev: { services } },
    [],
    null,
  ]) {
    await expect(
      resolveConfig({ ...base, environments: broken }, undefined, third.config),
    ).rejects.toThrow(ConfigError);
  }
});

test('a reload finds what has changed in the same object', async () => {
  const [one, two] = await Promise.all(
    ['one', 'two'].map((text) => startService((_, response) => response.end(text))),
  );
  const hello = { endpoints: [one as string] };
  const { server, config, call } = await startServer({}, { services: { hello } });
  await server.reload(config);
  expect(await (await call()).text()).toBe('one');
  hello.endpoints[0] = two as string;
  await server.reload(config);
  expect(await (await call()).text()).toBe('two');
});

test('a configuration that one of the parts refuses changes nothing', async () => {
  const quick = await startService((_, response) => response.end('quick'));
  const { server, config, call } = await startServer(
    {},
    { services: { hello: { endpoints: [quick] } } },
  );
  const { dev } = config.environments as { dev: object };
  await expect(
    server.reload({
      ...config,
      environments: { dev: { ...dev, tokens: { jwks: { keys: [] } }, services: {} } },
    }),
  ).rejects.toThrow('has no key for');
  await expect(server.reload({ ...config, cors: { origins: ['no origin'] } })).rejects.toThrow(
    'cors.origins',
  );
  expect((await call()).status).toBe(200);
});
