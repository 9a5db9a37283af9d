import type { Project } from './create-projects.ts';

/** Installs the mock, and starts it as its README says. */
export async function startMock(project: Project) {
  await project.run('npm', 'install', '--save-dev', '@berth/mock');
  const ready = /^Upload target +(\S+)\/\n[\s\S]*^ready$/m;
  return project.start(ready, 'npx', 'berth-mock', '--port', '0');
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
