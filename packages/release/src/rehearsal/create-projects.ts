import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type NodeMajor, toEnvironment } from './environment.ts';
import {
  type Outcome,
  type Place,
  type Running,
  runCommand,
  startCommand,
  tryCommand,
} from './run-command.ts';
import type { Registry } from './start-registry.ts';

const PROGRAMS = join(import.meta.dirname, '../../programs');

/** An empty folder with its own empty home, in which to run commands. */
export interface Project extends Place {
  /** Runs a command and returns its output; throws with all output if it fails. */
  run(...command: string[]): Promise<string>;
  /** Runs a command that may fail, on another version of Node. */
  tryOn(node: NodeMajor, ...command: string[]): Promise<Outcome>;
  /** Starts a command that keeps running, and waits for an output. */
  start(ready: RegExp, ...command: string[]): Promise<Running>;
  write(name: string, text: string): void;
  /** Copies a file from `programs/` to the folder. */
  copy(program: string): void;
  /** Creates another empty folder for the same user, possibly with another version of Node. */
  sibling(name: string, node?: NodeMajor): Project;
}

/**
 * Creates a function that creates empty projects for a rehearsal.
 *
 * @param root folder for all projects
 * @param registry where npm installs from
 * @returns a function that creates a project with the given version of Node
 */
export function createProjects(root: string, registry: Registry) {
  return (name: string, node: NodeMajor) => {
    const home = join(root, name, 'home');
    return toProject(home, join(root, name, 'project'), node, registry);
  };
}

function toProject(home: string, folder: string, node: NodeMajor, registry: Registry): Project {
  mkdirSync(folder, { recursive: true });
  const place = { folder, env: toEnvironment(home, node, registry) };
  return {
    ...place,
    run: (...command) => runCommand(place, command),
    tryOn: (other, ...command) =>
      tryCommand({ folder, env: toEnvironment(home, other, registry) }, command),
    start: (ready, ...command) => startCommand(place, command, ready),
    write: (file, text) => writeFileSync(join(folder, file), text),
    copy: (program) => copyFileSync(join(PROGRAMS, program), join(folder, program)),
    sibling: (name, other = node) => toProject(home, join(folder, '..', name), other, registry),
  };
}
