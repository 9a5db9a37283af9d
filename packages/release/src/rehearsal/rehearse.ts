import { mkdirSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkNpx, checkOldNode } from './check-commands.ts';
import { createProjects } from './create-projects.ts';
import { publishRelease } from './publish-release.ts';
import { startRegistry } from './start-registry.ts';
import { startMock, useClient, useSpec } from './use-client.ts';
import { useConformance } from './use-conformance.ts';
import { useMockImage, useServerImages } from './use-images.ts';
import { useStubs } from './use-stubs.ts';

/**
 * Rehearses a release: makes it in a copy of this checkout, publishes it to a registry on loopback, and
 * installs each package by its name in an empty project of somebody with an empty home, on the oldest
 * Node that it promises to run on and that is at hand, and uses it as its README says.
 *
 * @param onStep hears the name of each step as it ends
 * @throws what went wrong, with all that the command has said
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
    const create = createProjects(root, registry.url);
    const versionOf = (name: string) => versions.get(name) ?? 'no version';
    const installOf = (name: string) => installs.get(name) ?? 'no command';
    // Two at a time: npm and the suite wait more than they work.
    const lanes = await Promise.allSettled([useMockAndClient(), useServerAndSuite()]);
    for (const lane of lanes) if (lane.status === 'rejected') throw lane.reason;

    async function useMockAndClient() {
      // Prism declares Node 24.18. The mock's own tests run it on its floor.
      const project = create('mock', 24);
      const mock = await startMock(project);
      onStep('install and start the mock');
      try {
        await useClient(create('client', 20), mock.found);
        onStep('install and use the client');
      } finally {
        await mock.stop();
      }
      await checkNpx(project, '@berth/mock', versionOf('@berth/mock'));
      onStep('npx of the mock');
      await useMockImage(
        { project: project.sibling('image'), install: installOf('@berth/mock') },
        installOf('@berth/client'),
      );
      onStep(
        'install the mock from tarballs, run and stop its image, install the client beside it',
      );
      await useSpec(create('spec', 20));
      onStep('install and read the contract');
      await useStubs(create('server-stubs', 20));
      onStep('install the stubs, start a project, run its test');
    }

    async function useServerAndSuite() {
      const server = create('server', 22);
      await server.run('npm', 'install', '@berth/server');
      await checkNpx(server, '@berth/server', versionOf('@berth/server'));
      await checkOldNode(server, 'berth-server', '22.19', 20);
      onStep('install the server, npx, Node too old');
      const suite = create('conformance', 20);
      await suite.run('npm', 'install', '@berth/conformance');
      await checkNpx(suite, '@berth/conformance', versionOf('@berth/conformance'));
      onStep('install the suite, npx');
      onStep(await useConformance(server, suite));
      await useServerImages(server.sibling('image', 24), {
        project: suite.sibling('image', 24),
        install: installOf('@berth/conformance'),
      });
      onStep('run and stop the images of server and suite, the suite from tarballs');
    }
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${registry.readLog()}`, { cause: error });
  } finally {
    await registry.close();
    await Promise.all([root, ...copies].map((folder) => rm(folder, { recursive: true })));
  }
}
