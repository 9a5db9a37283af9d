import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import type { Deployment } from '../platform-case.ts';
import type { CaseResult } from '../run-suite.ts';
import { findRuntime, type ProcessId } from './find-runtime.ts';

/** Runs the suite in a platform's process, and yields its results as they arrive. */
export async function runProcess(
  platform: ProcessId,
  program: string,
  deployment: Deployment,
  certificate: string,
  tell: (result: CaseResult) => void,
): Promise<void> {
  const { command, args, trusts } = findRuntime(platform);
  const child = spawn(command, [...args, program, platform, JSON.stringify(deployment)], {
    cwd: dirname(program),
    env: { PATH: process.env.PATH, HOME: dirname(program), NO_COLOR: '1', [trusts]: certificate },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  createInterface(child.stdout).on('line', (line) => {
    if (line.startsWith('{"name":')) tell(JSON.parse(line));
    else said += `${line}\n`;
  });
  const code = await new Promise<number | string>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (exit, signal) => resolve(exit ?? signal ?? 'unknown'));
  });
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${said}`);
}
