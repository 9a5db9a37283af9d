import type { Project } from './create-projects.ts';
import type { NodeMajor } from './environment.ts';

/** `npx <package>` in an empty folder, where nothing is installed, runs its one command. */
export async function checkNpx(project: Project, name: string, version: string): Promise<void> {
  // What the installation has just fetched is not asked for again.
  const command = ['npx', '--yes', '--prefer-offline', name, '--version'];
  const output = await project.sibling('empty').run(...command);
  if (!output.includes(version)) throw new Error(`npx ${name} --version prints ${output}`);
}

/** On a Node that is too old, a command says so in one sentence that names the right one, and ends with 2. */
export async function checkOldNode(
  project: Project,
  command: string,
  needed: string,
  old: NodeMajor,
): Promise<void> {
  // npx itself would not run where `engines` forbids it.
  const { code, stdout, stderr } = await project.tryOn(old, `node_modules/.bin/${command}`);
  const isSentence = stdout === '' && /^[^\n]+\.\n$/.test(stderr) && stderr.includes(needed);
  if (code === 2 && isSentence) return;
  throw new Error(`${command} on Node ${old} ends with ${code} and says:\n${stdout}${stderr}`);
}
