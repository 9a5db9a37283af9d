import type { Project } from './create-projects.ts';

/**
 * Installs the stubs, starts a project with them, and does there what its README says: on Node 22, which
 * runs TypeScript as it is.
 */
export async function useStubs(project: Project): Promise<void> {
  await project.run('npm', 'install', '@berth/server-stubs');
  await project.run('npx', 'berth-stubs', 'init', '../my-server');
  const server = project.sibling('my-server', 22);
  await server.run('npm', 'install');
  await server.run('npm', 'test');
  await server.run('npm', 'run', 'typecheck');
}
