import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { skipReason } from '@berth/runtimes/engines';
import type { Deployment } from '../platform-case.ts';
import { type BrowserId, isBrowser, type PlatformId } from '../platforms.ts';
import type { CaseResult } from '../run-suite.ts';

const require = createRequire(import.meta.resolve('@berth/runtimes/package.json'));

/** A platform that runs as a process: its npm package, and how it runs a program. */
interface Runtime {
  /** Path of its executable in the package. */
  readonly program: string;
  readonly args: readonly string[];
  /** Variable that names a certificate to trust. */
  readonly trusts: string;
}

const NODE: Runtime = { program: 'bin/node', args: [], trusts: 'NODE_EXTRA_CA_CERTS' };

const RUNTIMES = {
  node20: NODE,
  node22: NODE,
  node26: NODE,
  deno: {
    program: process.platform === 'win32' ? 'deno.exe' : 'deno',
    args: ['run', '--allow-all', '--no-prompt', '--cached-only', '--no-lock'],
    trusts: 'DENO_CERT',
  },
  bun: { program: 'bin/bun.exe', args: ['--no-install'], trusts: 'NODE_EXTRA_CA_CERTS' },
} as const satisfies Partial<Record<PlatformId, Runtime>>;

/** Platforms that run the suite as a process. */
type ProcessId = Exclude<PlatformId, BrowserId | 'workerd'>;

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

/** Returns how to start a platform. This process itself runs on the repository's Node 24. */
function findRuntime(platform: ProcessId): Runtime & { readonly command: string } {
  if (platform === 'node24') return { ...NODE, command: process.execPath };
  const runtime = RUNTIMES[platform];
  const folder = dirname(require.resolve(`${platform}/package.json`));
  return { ...runtime, command: join(folder, runtime.program) };
}

/** Returns why a platform is not available, if it cannot be installed on every machine. */
export function whyAbsent(platform: PlatformId): string | undefined {
  if (!isPublished(platform)) return `npm has none for ${process.platform} on ${process.arch}`;
  return isBrowser(platform) ? skipReason(platform) : undefined;
}

/** Architecture names in packages, if they differ from Node's. */
const CPUS: Readonly<Partial<Record<PlatformId, Readonly<Record<string, string>>>>> = {
  bun: { arm64: 'aarch64' },
  workerd: { x64: '64' },
};

/** Systems for which a package has no executable, although its dependencies list one. */
function isPublished(platform: PlatformId): boolean {
  if (platform !== 'deno' && platform !== 'bun' && platform !== 'workerd') return true;
  const { optionalDependencies } = require(`${platform}/package.json`);
  const { [process.arch]: cpu = process.arch } = CPUS[platform] ?? {};
  const system =
    platform === 'deno' ? process.platform : process.platform.replace('win32', 'windows');
  return Object.keys(optionalDependencies).some((name) => name.includes(`${system}-${cpu}`));
}
