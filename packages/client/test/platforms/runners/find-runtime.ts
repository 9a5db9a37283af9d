import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { skipReason } from '@berth/runtimes/engines';
import { type BrowserId, isBrowser, type PlatformId } from '../platforms.ts';

const require = createRequire(import.meta.resolve('@berth/runtimes/package.json'));

/** A platform that is a process: its package of npm, and how it runs a program. */
interface Runtime {
  /** Path of its program in the package. */
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

/** How to start a platform. */
export interface FoundRuntime extends Runtime {
  readonly command: string;
}

/** Platforms that run the suite as a process. */
export type ProcessId = Exclude<PlatformId, BrowserId | 'workerd'>;

/** Path of the runtime of a platform. This process runs on the Node of the repository, 24. */
export function findRuntime(platform: ProcessId): FoundRuntime {
  if (platform === 'node24') return { ...NODE, command: process.execPath };
  const runtime = RUNTIMES[platform];
  const folder = dirname(require.resolve(`${platform}/package.json`));
  return { ...runtime, command: join(folder, runtime.program) };
}

/** Why a platform is not available, if it cannot be installed on every machine. */
export function whyAbsent(platform: PlatformId): string | undefined {
  if (!isPublished(platform)) return `npm has none for ${process.platform} on ${process.arch}`;
  return isBrowser(platform) ? skipReason(platform) : undefined;
}

/** Processor names of packages, if they differ from Node's. */
const CPUS: Readonly<Partial<Record<PlatformId, Readonly<Record<string, string>>>>> = {
  bun: { arm64: 'aarch64' },
  workerd: { x64: '64' },
};

/** Systems without a program of a package, whose dependencies name those that have one. */
function isPublished(platform: PlatformId): boolean {
  if (platform !== 'deno' && platform !== 'bun' && platform !== 'workerd') return true;
  const { optionalDependencies } = require(`${platform}/package.json`);
  const { [process.arch]: cpu = process.arch } = CPUS[platform] ?? {};
  const system =
    platform === 'deno' ? process.platform : process.platform.replace('win32', 'windows');
  return Object.keys(optionalDependencies).some((name) => name.includes(`${system}-${cpu}`));
}
