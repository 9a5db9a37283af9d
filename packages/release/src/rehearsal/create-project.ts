import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Outcome,
  type Place,
  type Running,
  runCommand,
  startCommand,
  tryCommand,
} from '@berth/runtimes/run-command';
import { type NodeMajor, toEnvironment } from './environment.ts';
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
  /** Copies a file from `programs/` to the folder, and runs it. */
  runProgram(name: string, ...args: string[]): Promise<void>;
  /** Creates another empty folder for the same user, possibly with another version of Node. */
  sibling(name: string, node?: NodeMajor): Project;
}

/** Creates an empty project, which installs from a registry. */
export function createProject(
  registry: Registry,
  node: NodeMajor,
  home: string,
  folder: string,
): Project {
  mkdirSync(folder, { recursive: true });
  const place = { folder, env: toEnvironment(home, node, registry) };
  return {
    ...place,
    run: (...command) => runCommand(place, command),
    tryOn: (other, ...command) =>
      tryCommand({ folder, env: toEnvironment(home, other, registry) }, command),
    start: (ready, ...command) => startCommand(place, command, ready),
    write: (file, text) => writeFileSync(join(folder, file), text),
    async runProgram(name, ...args) {
      copyFileSync(join(PROGRAMS, name), join(folder, name));
      await runCommand(place, ['node', name, ...args]);
    },
    sibling: (name, other = node) => createProject(registry, other, home, join(folder, '..', name)),
  };
}
