import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { skipReason } from '@berth/runtimes/engines';
import { type BrowserId, isBrowser, type PlatformId } from '../platforms.ts';

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

/** Returns how to start a platform. */
export interface FoundRuntime extends Runtime {
  readonly command: string;
}

/** Platforms that run the suite as a process. */
export type ProcessId = Exclude<PlatformId, BrowserId | 'workerd'>;

/** Returns the path of a platform's runtime. This process itself runs on the repository's Node 24. */
export function findRuntime(platform: ProcessId): FoundRuntime {
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
