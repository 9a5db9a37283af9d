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
import { buildServerImages, useMockImage, useServerImages } from './use-images.ts';
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
      onStep('start the mock by npx');
      try {
        await useClient(create('client', 20), mock.found);
        onStep('install and use the client');
      } finally {
        await mock.stop();
      }
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
      const server = create('server', 24);
      const suite = create('conformance', 24);
      const install = installOf('@berth/conformance');
      const images = await buildServerImages(server, { project: suite, install });
      onStep('build the images of server and suite, the suite from tarballs');
      const installed = server.sibling('project/app', 22);
      await checkOldNode(installed, 'berth-server', '22.19', 20);
      onStep(await useConformance(installed, suite.sibling('project/app', 20)));
      await useServerImages(images);
      onStep('run and stop both images');
      await checkNpx(server, '@berth/server', versionOf('@berth/server'));
      await checkNpx(suite, '@berth/conformance', versionOf('@berth/conformance'));
      onStep('npx of server and suite');
    }
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${registry.readLog()}`, { cause: error });
  } finally {
    await registry.close();
    await Promise.all([root, ...copies].map((folder) => rm(folder, { recursive: true })));
  }
}
