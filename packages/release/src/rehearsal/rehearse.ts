import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type Running, runCommand } from '@berth/runtimes/run-command';
import { copyCheckout } from '@berth/scripts/checkout';
import { listPublished } from '../list-published.ts';
import { createProject, type Project } from './create-project.ts';
import { MACHINE_PATH, type NodeMajor } from './environment.ts';
import { type Registry, startRegistry } from './start-registry.ts';
import { buildImage, MOCK_READY, PAIR, useMockImage, useServerImages } from './use-images.ts';

/** All engines, and calls of each kind: a package may lack a file, not a check. Dredd is not installed. */
const SOME_RULES = 'dredd,respect,AU-BEARER,AU-SIGNATURE,GW-SSE,GW-WS,ST-META,ST-COPY-CALL,UP-FORM';

/** Checks the installed server with the installed suite and its fixture service. */
async function useConformance(server: Project, suite: Project): Promise<string> {
  const running: Running[] = [];
  try {
    const fixture = await suite.start(
      /listening on (http:\S+)/,
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
      ...['npx', 'berth-conformance', '--config', 'conformance.json'],
      ...['--only', SOME_RULES],
    );
    if (!output.includes('disabled (Dredd is not installed: npm install --save-dev dredd)')) {
      throw new Error(`The suite does not say that Dredd is missing:\n${output}`);
    }
    return output.trim().split('\n').at(-1) ?? '';
  } finally {
    for (const one of running.reverse()) await one.stop();
  }
}

/** A server with two environments, as in its README. */
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

/**
 * Rehearses a release: creates it in a copy of this checkout, publishes it to a registry on loopback, and
 * installs each package in an empty project with an empty home, on the oldest supported version of Node that
 * is available. Then it uses each package as its README describes.
 *
 * @param onStep called with the name of each step when it ends
 * @throws Error with the complete output of a failed command
 */
export async function rehearse(onStep: (name: string) => void): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'berth-rehearsal-'));
  const home = join(root, 'home');
  mkdirSync(home);
  const registry = await startRegistry(root);
  const copies: string[] = [];
  try {
    const tarballs = join(root, 'tarballs');
    const release = await publishRelease(registry, home, tarballs, onStep);
    const { folder, versions, installs } = release;
    copies.push(folder);
    const create = (name: string, node: NodeMajor) =>
      createProject(registry, node, join(root, name, 'home'), join(root, name, 'project'));
    const versionOf = (name: string) => versions.get(name) ?? 'no version';
    const installOf = (name: string) => installs.get(name) ?? 'no command';
    // Two at a time: npm and the suite spend most of their time waiting.
    const lanes = await Promise.allSettled([useMockAndClient(), useServerAndSuite()]);
    for (const lane of lanes) if (lane.status === 'rejected') throw lane.reason;

    async function useMockAndClient() {
      const project = create('mock', 20);
      // As the README describes it for an empty folder.
      const command = ['npx', '--yes', '@berth/mock', '--port', '0'];
      const mock = await project.start(MOCK_READY, ...command);
      onStep('start the mock by npx');
      try {
        await useClient(create('client', 20), mock.found);
        onStep('install and use the client');
      } finally {
        await mock.stop();
      }
      const install = installOf('@berth/mock');
      const image = await buildImage(project.sibling('image'), 'packages/mock', install);
      await useMockImage(image, installOf('@berth/client'));
      onStep(
        'install the mock from tarballs, run and stop its image, install the client next to it',
      );
      const spec = create('spec', 20);
      await spec.run('npm', 'install', '@berth/spec');
      await spec.runProgram('use-spec.mjs');
      onStep('install and read the contract');
      await useStubs(create('server-stubs', 20));
      onStep('install the stubs, start a project, run its test');
    }

    async function useServerAndSuite() {
      const server = create('server', 24);
      const suite = create('conformance', 24);
      const install = installOf('@berth/conformance');
      const images = await Promise.all([
        buildImage(server, 'packages/server'),
        buildImage(suite, 'packages/conformance', install),
      ]);
      onStep('build the images of server and suite, the suite from tarballs');
      const installed = server.sibling('project/app', 22);
      await checkOldNode(installed, 'berth-server', '22.19', 20);
      const judge = suite.sibling('project/app', 20);
      onStep(await useConformance(installed, judge));
      await checkNpx(installed, '@berth/server', versionOf('@berth/server'));
      await checkNpx(judge, '@berth/conformance', versionOf('@berth/conformance'));
      onStep('npx of server and suite');
      await useServerImages(...images);
      onStep('run and stop both images');
    }
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${registry.readLog()}`, { cause: error });
  } finally {
    await registry.close();
    for (const folder of [root, ...copies]) rmSync(folder, { recursive: true });
  }
}

/**
 * Checks that `npx <package>` runs the package's only command. In an empty folder, as for the mock, npx would
 * install it first.
 */
async function checkNpx(project: Project, name: string, version: string): Promise<void> {
  const output = await project.run('npx', name, '--version');
  if (!output.includes(version)) throw new Error(`npx ${name} --version prints ${output}`);
}

/**
 * On a version of Node that is too old, a command must print one sentence that names the required version,
 * and exit with 2.
 */
async function checkOldNode(
  project: Project,
  command: string,
  needed: string,
  old: NodeMajor,
): Promise<void> {
  // npx itself would not run it if `engines` does not allow this version.
  const { code, stdout, stderr } = await project.tryOn(old, `node_modules/.bin/${command}`);
  const isSentence = stdout === '' && /^[^\n]+\.\n$/.test(stderr) && stderr.includes(needed);
  if (code === 2 && isSentence) return;
  throw new Error(`${command} on Node ${old} ends with ${code} and prints:\n${stdout}${stderr}`);
}

interface Release {
  /** The copy of the checkout, with the versions of the release. */
  folder: string;
  /** Names and versions of what was published. */
  versions: ReadonlyMap<string, string>;
  /** By package name, the command from `npm run pack` that installs it from tarballs. */
  installs: ReadonlyMap<string, string>;
}

/**
 * Makes a release from a copy of this checkout, step by step as `release:version` and `release:publish` do,
 * and publishes it to a registry for the rehearsal.
 *
 * @param home an empty folder: no credentials, no settings
 * @param tarballs a folder for the same packages, as written by `npm run pack`
 * @param onStep called with the name of each step when it ends
 */
async function publishRelease(
  { url, settings }: Registry,
  home: string,
  tarballs: string,
  onStep: (name: string) => void,
): Promise<Release> {
  const folder = copyCheckout();
  const env = {
    HOME: home,
    PATH: [join(folder, 'node_modules/.bin'), MACHINE_PATH].join(delimiter),
    TURBO_CACHE_DIR: join(folder, '.turbo/cache'),
    TURBO_TELEMETRY_DISABLED: '1',
    CI: '1',
  };
  const run = async (step: string, command: readonly string[], path = '.') => {
    const output = await runCommand({ folder: join(folder, path), env }, command);
    onStep(step);
    return output;
  };
  try {
    // Without pending changesets this does nothing, and the last release is rehearsed again.
    await run('changeset version', ['changeset', 'version']);
    const published = listPublished(folder).map(({ manifest }) => manifest);
    const filters = published.flatMap(({ name }) => ['--filter', name]);
    await run('build', ['turbo', 'run', 'generate', 'build', ...filters]);
    await run('keep the released contract', ['node', 'scripts/release.ts'], 'spec');
    const keepRules = ['node', '--conditions=berth-source', 'scripts/release.ts'];
    await run('keep the released rules', keepRules, 'packages/conformance');
    await run('check the versions', ['node', 'scripts/check-version.ts'], 'spec');

    // Not with `npm run`, which would first install the new versions.
    const script = 'packages/release/scripts/pack.ts';
    const printed = await run('pack', ['node', script, tarballs]);
    for (const file of readdirSync(tarballs)) {
      const names = await runCommand({ folder: tarballs, env }, ['tar', '-tzf', file]);
      if (!names.includes('package/CHANGELOG.md')) throw new Error(`${file} has no changelog.`);
    }
    const installs = [...printed.matchAll(/^# (\S+)\n(npm install .+)$/gm)];

    writeFileSync(join(folder, '.npmrc'), settings);
    const registry = await runCommand({ folder, env }, ['pnpm', 'config', 'get', 'registry']);
    if (registry.trim() !== url) throw new Error(`pnpm would publish to ${registry}`);
    await run('publish', ['changeset', 'publish', '--no-git-tag']);
    return {
      folder,
      versions: new Map(published.map(({ name, version }) => [name, version])),
      installs: new Map(installs.map(([, name = '', command = '']) => [name, command])),
    };
  } catch (error) {
    rmSync(folder, { recursive: true });
    throw error;
  }
}

/** Installs the client, and makes a round trip against the mock, both from code and from the command line. */
async function useClient(project: Project, mockUrl: string): Promise<void> {
  await project.run('npm', 'install', '@berth/client');
  await project.runProgram('use-client.mjs', mockUrl);
  await project.run('npx', 'berth', '--version');
}

/** Installs the stubs, and generates code from a document of the contract. */
async function useStubs(project: Project): Promise<void> {
  await project.run('npm', 'install', '@berth/server-stubs');
  const document = 'node_modules/@berth/spec/storage.v2.yaml';
  await project.run('npx', 'berth-stubs', document, '--output', 'generated');
}
