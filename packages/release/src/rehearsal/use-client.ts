import type { Project } from './create-projects.ts';

/** Starts the mock in an empty folder, as the README says. */
export function startMock(project: Project) {
  const ready = /^Upload target +(\S+)\/\n[\s\S]*^ready$/m;
  return project.start(ready, 'npx', '--yes', '@berth/mock', '--port', '0');
}

/** Installs the client, makes a round trip against the mock, by code and by command line. */
export async function useClient(project: Project, mockUrl: string): Promise<void> {
  await project.run('npm', 'install', '@berth/client');
  project.copy('use-client.mjs');
  await project.run('node', 'use-client.mjs', mockUrl);
  await project.run('npx', 'berth', '--version');
}

/** Installs the contract, and reads it. */
export async function useSpec(project: Project): Promise<void> {
  await project.run('npm', 'install', '@berth/spec');
  project.copy('use-spec.mjs');
  await project.run('node', 'use-spec.mjs');
}
